/**
 * The lab's own errors. Each says what was expected, what was found and what to do next; the class says whose fault it is.
 * A step prints `message` alone for a LabError (no stack trace: the mistake is in the settings, not in the code).
 */
export class LabError extends Error {
  readonly expected: string;
  readonly found: string;
  readonly next: string;

  constructor(what: string, detail: { expected: string; found: string; next: string }) {
    super(`${what}\n  expected: ${detail.expected}\n  found:    ${detail.found}\n  next:     ${detail.next}`);
    this.name = new.target.name;
    this.expected = detail.expected;
    this.found = detail.found;
    this.next = detail.next;
  }
}

/** A YAML, CSV or SKILL.md file of the user's is wrong. */
export class SettingsError extends LabError {}

/** A program, package or permission that the step needs is not there. */
export class PrerequisiteError extends LabError {}

/** A frozen condition no longer holds (a file changed after the lock, a dirty repository, a red starting suite). */
export class FrozenError extends LabError {}

/** A saved record is missing, altered or of another schema version. */
export class RecordError extends LabError {}

/** The lab's surroundings failed, not the agent: nothing is concluded from the attempt, and it may be tried again. */
export class InfrastructureError extends LabError {}
