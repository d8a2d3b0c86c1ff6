const LIFETIME_MS = 60 * 60_000;
/** How many open requests an instance keeps for a token (decisions: Approval requests). */
const MOST = 50;

/** A call that was refused because no window was open, and waits for the guild's owner. */
export interface PendingApproval {
  readonly approval_id: string;
  readonly tool: string;
  /** One sentence that says what the call would do. */
  readonly sentence: string;
  readonly reauth_url: string;
  readonly asked_at: string;
  readonly lapses_at: string;
}

/** The calls of this process that wait for approval. The public API has no list of them. */
export class Approvals {
  readonly #waiting = new Map<string, PendingApproval>();

  /** @param digest of the call: asked again while its request is open, it has the same one, with the same end */
  add(digest: string, approval: Omit<PendingApproval, 'asked_at' | 'lapses_at'>, now: Date): void {
    const before = this.#waiting.get(digest);
    const isSame = before?.approval_id === approval.approval_id;
    const times = {
      asked_at: now.toISOString(),
      lapses_at: new Date(now.getTime() + LIFETIME_MS).toISOString(),
    };
    this.#waiting.delete(digest);
    this.#waiting.set(digest, { ...times, ...(isSame ? before : {}), ...approval });
    const [oldest] = this.#waiting.keys();
    if (this.#waiting.size > MOST && oldest !== undefined) this.#waiting.delete(oldest);
  }

  /** Removes a call that has been made. */
  settle(digest: string): void {
    this.#waiting.delete(digest);
  }

  /** Removes the call of a request that nobody has to decide any more. */
  decided(approvalId: string): void {
    for (const [digest, { approval_id }] of this.#waiting) {
      if (approval_id === approvalId) this.#waiting.delete(digest);
    }
  }

  /** The requests that have not expired, in the order in which they were last asked about. */
  list(now: Date): readonly PendingApproval[] {
    return [...this.#waiting.values()].filter(({ lapses_at }) => Date.parse(lapses_at) > now.getTime());
  }
}
