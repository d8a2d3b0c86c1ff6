'use client';

import { unstable_rethrow } from 'next/navigation';
import { isValidElement, type ReactNode, use, useEffect, useState } from 'react';
import { keepLoss } from './loss.ts';
import { RenderedAt } from './rendering.tsx';

/**
 * What the server makes of a page. Where it fails while the page is only brought up to date, what is shown stays, with
 * what somebody is typing: an error boundary would put another page in its place. The page says that it may be out of
 * date, and tries again (state-watch.tsx). Its parts learn when what they show was rendered.
 *
 * @param props.of what the page is about, by its address
 */
export function KeptPage({ of, page }: { of: string; page: Promise<Page> }) {
  const made = use(outcomeOf(page));
  const [shown, setShown] = useState<Shown | null>(null);
  const hasFailed = 'error' in made;
  useEffect(() => {
    if ('error' in made) keepLoss('unreachable');
  }, [made]);
  if (!hasFailed) {
    if (shown === null || shown.content !== made.content || shown.of !== of) setShown({ of, ...made });
    return <RenderedAt at={made.at}>{made.content}</RenderedAt>;
  }
  unstable_rethrow(made.error); // it leads elsewhere, or says that there is no such page
  if (shown === null || shown.of !== of) throw made.error;
  return <RenderedAt at={shown.at}>{shown.content}</RenderedAt>;
}

interface Page {
  /** When the server rendered it, as ISO 8601. */
  readonly at: string;
  readonly content: ReactNode;
}

interface Shown extends Page {
  readonly of: string;
}

type Outcome = Page | { readonly error: unknown };

/** A promise that React waits for must be the same one each time. */
const outcomes = new WeakMap<Promise<Page>, Promise<Outcome>>();

function outcomeOf(page: Promise<Page>): Promise<Outcome> {
  const known = outcomes.get(page);
  if (known !== undefined) return known;
  const outcome = whole(page).catch((error: unknown) => ({ error }));
  outcomes.set(page, outcome);
  return outcome;
}

async function whole(page: Promise<Page>): Promise<Page> {
  const made = await page;
  await untilMade(made.content);
  return made;
}

/** Waits for the parts of a page that the server makes for themselves, each of which can fail. */
async function untilMade(part: unknown): Promise<void> {
  if (Array.isArray(part)) await Promise.all(part.map(untilMade));
  else if (isValidElement<Record<string, unknown>>(part)) await untilMade(Object.values(part.props));
  else if (isLazy(part)) await untilMade(await part._payload);
}

/** Such a part is what `React.lazy` makes, with a promise. */
function isLazy(part: unknown): part is { readonly _payload: PromiseLike<unknown> } {
  return (
    typeof part === 'object' &&
    part !== null &&
    '$$typeof' in part &&
    part.$$typeof === Symbol.for('react.lazy')
  );
}
