import { type ModelRequest, withoutAddedBlocks } from './model-call.js';

export type RequestKind = 'main' | 'sub-agent' | 'side';

/**
 * What each request of a session is for. `side`: it offers no tools (a title, a summary). `main`: it delivers the task, or has the
 * system text and the tools of the first request that does, whatever became of the conversation (compaction). Every other request
 * with tools is a sub-agent's. In doubt a request is of the loop, of which more is asked. Where none delivers the task, the first with tools is
 * taken for the loop's.
 */
export function requestKinds(requests: readonly ModelRequest[], task: string): RequestKind[] {
  const delivers = ({ turns }: ModelRequest) =>
    turns.some((turn) => turn.role === 'user' && withoutAddedBlocks(turn.text).trim() === task.trim());
  const toolNames = ({ tools }: ModelRequest) => tools.map((tool) => tool.name).join();
  const offering = requests.filter((request) => request.tools.length > 0);
  const loop = offering.find(delivers) ?? offering[0];
  const kindOf = (request: ModelRequest): RequestKind => {
    if (request.tools.length === 0) return 'side';
    return delivers(request) || (request.system === loop?.system && toolNames(request) === toolNames(loop))
      ? 'main'
      : 'sub-agent';
  };
  return requests.map(kindOf);
}
