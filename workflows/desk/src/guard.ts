import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';

/** What a request is refused with: an HTTP status and one plain sentence. */
export interface Refusal {
  status: number;
  message: string;
}

/** Who may talk to the desk: each evaluator by a random token, from this machine, from the desk's own page. */
export class Guard {
  /** Token by evaluator, made anew at each start. */
  readonly tokens: Map<string, string>;
  /** Hosts that the page may be asked for by; set once the port is known. */
  #hosts: string[] = [];
  #port = 0;

  constructor(evaluators: string[]) {
    this.tokens = new Map(evaluators.map((name) => [name, randomBytes(24).toString('base64url')]));
  }

  listensOn(port: number): void {
    this.#port = port;
    this.#hosts = [`127.0.0.1:${port}`, `localhost:${port}`];
  }

  /** Cookies know no ports: two desks on one machine need two names. */
  get cookie(): string {
    return `desk-${this.#port}`;
  }

  /** Null for a request that asks for this server by its own name, and, where it changes something, comes from the desk's own page. */
  refuses(request: IncomingMessage): Refusal | null {
    const { host, origin } = request.headers;
    // a name of somebody else's that points here (DNS rebinding)
    if (host === undefined || !this.#hosts.includes(host))
      return { status: 421, message: 'This desk answers on 127.0.0.1 only.' };
    const site = request.headers['sec-fetch-site'];
    const foreign = (origin !== undefined && origin !== `http://${host}`) || site === 'cross-site' || site === 'same-site';
    const reads = request.method === 'GET' || request.method === 'HEAD';
    // a page of another origin may link here, but not read or change anything
    if (foreign && !(reads && request.headers['sec-fetch-mode'] === 'navigate'))
      return { status: 403, message: 'Requests from other pages are refused.' };
    if (!reads && origin === undefined) return { status: 403, message: 'A change has to come from the desk’s own page.' };
    if (!reads && !/^application\/json\s*(;|$)/i.test(request.headers['content-type'] ?? ''))
      return { status: 415, message: 'A change has to be JSON.' };
    return null;
  }

  /** The evaluator whose token it is; null for any other text. */
  evaluatorOf(token: string | null | undefined): string | null {
    if (!token) return null;
    const given = digest(token);
    for (const [name, own] of this.tokens) if (timingSafeEqual(given, digest(own))) return name;
    return null;
  }

  /** The evaluator that the request's cookie names. */
  evaluatorFrom(request: IncomingMessage): string | null {
    const pair = (request.headers.cookie ?? '').split(/;\s*/).find((part) => part.startsWith(`${this.cookie}=`));
    return this.evaluatorOf(pair?.slice(this.cookie.length + 1));
  }

  /** The Set-Cookie header that lets an evaluator's browser in. */
  admits(evaluator: string): string {
    return `${this.cookie}=${this.tokens.get(evaluator)}; Path=/; HttpOnly; SameSite=Strict`;
  }
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
