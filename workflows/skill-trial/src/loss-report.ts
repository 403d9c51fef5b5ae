/** What became of one thing that an importer read. dropped and missing are losses; mapped says what it was made into. */
export interface Loss {
  /** File or entry of the source. */
  where: string;
  status: 'mapped' | 'dropped' | 'missing' | 'warned';
  what: string;
}

/** What an importer makes: files by path below the checkout, and what it could not carry over. */
export interface Imported {
  files: Record<string, string | Buffer>;
  /** Names of the experiments made. */
  experiments: string[];
  cases: string[];
  losses: Loss[];
}

/** A loss report as lines of text, the losses first; one line says so where nothing was lost. */
export function describeLosses({ cases, experiments, losses }: Imported): string[] {
  const order = ['missing', 'dropped', 'warned', 'mapped'] as const;
  const head = `${cases.length} case(s) in ${experiments.length} experiment(s): ${experiments.slice(0, 8).join(', ')}${experiments.length > 8 ? ', …' : ''}`;
  if (losses.length === 0) return [head, 'nothing was lost'];
  const sorted = order.flatMap((status) => losses.filter((loss) => loss.status === status));
  return [head, ...sorted.map(({ where, status, what }) => `${status}: ${where}: ${what}`)];
}
