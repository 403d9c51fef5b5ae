import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { blindDocuments, blindTestRuns, type DeskVariant, type Lab } from 'skill-trial';
import type { DocumentPage, PatchView, ResponsePage, TestRun, TextPage } from './desk-view.js';
import { markdownTree } from './markdown-tree.js';
import { patchView } from './patch-view.js';
import { textPage, visibleLine } from './text-pages.js';

/** What there is to read of a variant, made from its blinded folder and its content hash alone. */
export class Artifacts {
  readonly #lab: Lab;
  /** The last few things made: a person reads two variants at a time. */
  readonly #made = new Map<string, Promise<unknown>>();

  constructor(lab: Lab) {
    this.#lab = lab;
  }

  async response(variant: DeskVariant, page: number): Promise<ResponsePage> {
    return responsePage(await this.#bytes(variant, 'response.md'), page);
  }

  async patchText(variant: DeskVariant, page: number): Promise<TextPage> {
    return textPage(await this.#bytes(variant, 'patch.diff'), page);
  }

  async patch(variant: DeskVariant): Promise<PatchView> {
    return this.#once(`patch ${variant.content}`, async () => patchView(await this.#bytes(variant, 'patch.diff')));
  }

  /** Null: the tests have not been run yet. */
  async tests(variant: DeskVariant): Promise<TestRun[] | null> {
    const runs = await blindTestRuns(this.#lab, variant.content);
    if (runs === null) return null;
    return runs.map(({ check, exitCode, timedOut, tests }) => ({
      title: titles[check] ?? check,
      outcome: timedOut ? 'stopped at the time limit' : exitCode === null ? 'ended by a signal' : `exit status ${exitCode}`,
      tests: tests.map(({ file, name, outcome, message }) => ({
        file: visibleLine(file),
        name: visibleLine(name),
        outcome,
        message: message === null ? null : clipped(message).split('\n').map(visibleLine).join('\n'),
      })),
    }));
  }

  async documents(variant: DeskVariant, path: string | null, page: number): Promise<DocumentPage[]> {
    const documents = await this.#once(`documents ${variant.case} ${variant.content}`, () => blindDocuments(this.#lab, variant));
    return documents.map((document) => ({
      path: visibleLine(document.path),
      change: document.change,
      text: responsePage(document.text ?? Buffer.alloc(0), document.path === path ? page : 0),
    }));
  }

  async #bytes(variant: DeskVariant, name: 'response.md' | 'patch.diff'): Promise<Buffer> {
    const file = join(variant.folders[0] as string, name);
    return this.#once(`bytes ${file}`, () => readFile(file));
  }

  /** Makes a thing once and keeps the last eight; what failed is not kept. */
  async #once<T>(key: string, make: () => Promise<T>): Promise<T> {
    const known = this.#made.get(key) as Promise<T> | undefined;
    if (known !== undefined) return known;
    const made = make();
    this.#made.set(key, made);
    const oldest = this.#made.keys().next().value;
    if (this.#made.size > 8 && oldest !== undefined) this.#made.delete(oldest);
    made.catch(() => this.#made.delete(key));
    return made;
  }
}

const titles: Record<string, string> = {
  suite: 'Complete suite, on the variant',
  module: 'Tests of the module, on the variant',
  new: 'New and changed tests, on the variant',
  control: 'New and changed tests, on the starting code',
};

function responsePage(bytes: Buffer, page: number): ResponsePage {
  const text = textPage(bytes, page);
  return { ...text, blocks: markdownTree(text.lines.join('\n'), text.firstLine) };
}

const messageCharacters = 20_000;

function clipped(message: string): string {
  if (message.length <= messageCharacters) return message;
  return `${message.slice(0, messageCharacters)}\n… ${message.length - messageCharacters} more characters are not shown`;
}
