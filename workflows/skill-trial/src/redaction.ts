/** What a secret's place is filled with. */
export const REDACTED = '[redacted]';

/**
 * Takes secrets out of a stream of bytes, wherever chunks break. Only bytes that could be the beginning of a secret are held back,
 * so that all others pass on at once.
 */
export class Redactor {
  /** Secrets found so far. */
  count = 0;
  #held: Buffer = Buffer.alloc(0);
  readonly #secrets: Buffer[];

  /** Each secret is also sought as a URL, a JSON string and base64 (at any offset) would write it. Empty ones are ignored. */
  constructor(secrets: readonly string[]) {
    const forms = secrets
      .filter((secret) => secret !== '')
      .flatMap((secret) => [secret, ...urlForms(secret), JSON.stringify(secret).slice(1, -1), ...base64Forms(secret)]);
    // The longest first: a form that is part of another must not leave the rest of it behind.
    this.#secrets = [...new Set(forms)].sort((a, b) => b.length - a.length).map((form) => Buffer.from(form));
  }

  /** The bytes that can pass on after this chunk; empty where all had to be held back. */
  push(chunk: Uint8Array): Buffer {
    let rest: Buffer = Buffer.concat([this.#held, chunk]);
    const out: Buffer[] = [];
    for (;;) {
      const hit = this.#first(rest);
      if (hit === null) break;
      this.count += 1;
      out.push(rest.subarray(0, hit.at), Buffer.from(REDACTED));
      rest = rest.subarray(hit.at + hit.length);
    }
    const keep = this.#unfinished(rest);
    this.#held = rest.subarray(rest.length - keep);
    return Buffer.concat([...out, rest.subarray(0, rest.length - keep)]);
  }

  /** What was still held back, at the end of the stream. */
  flush(): Buffer {
    const held = this.#held;
    this.#held = Buffer.alloc(0);
    return held;
  }

  /** A whole body at once. */
  all(bytes: Uint8Array): Buffer {
    return Buffer.concat([this.push(bytes), this.flush()]);
  }

  #first(bytes: Buffer): { at: number; length: number } | null {
    let best: { at: number; length: number } | null = null;
    for (const secret of this.#secrets) {
      const at = bytes.indexOf(secret);
      if (at !== -1 && (best === null || at < best.at)) best = { at, length: secret.length };
    }
    return best;
  }

  /** The length of the longest end of the bytes that begins a secret. */
  #unfinished(bytes: Buffer): number {
    let keep = 0;
    for (const secret of this.#secrets) {
      for (let length = Math.min(secret.length - 1, bytes.length); length > keep; length -= 1) {
        const from = bytes.length - length;
        if (bytes[from] !== secret[0]) continue;
        if (bytes.subarray(from).equals(secret.subarray(0, length))) keep = length;
      }
    }
    return keep;
  }
}

/** Percent-encoding with its digits in either case. */
function urlForms(secret: string): string[] {
  const upper = encodeURIComponent(secret);
  return [upper, upper.replace(/%[0-9A-F]{2}/g, (code) => code.toLowerCase())];
}

/** What base64 makes of a secret after 0, 1 or 2 bytes of something else, without the letters that its neighbours also shape. */
function base64Forms(secret: string): string[] {
  const length = Buffer.byteLength(secret);
  return [0, 1, 2].flatMap((offset) => {
    const bytes = Buffer.concat([Buffer.alloc(offset), Buffer.from(secret)]);
    const [from, to] = [Math.ceil((offset * 8) / 6), Math.floor(((offset + length) * 8) / 6)];
    // shorter than this it would occur in ordinary base64
    return to - from < 12 ? [] : (['base64', 'base64url'] as const).map((form) => bytes.toString(form).slice(from, to));
  });
}
