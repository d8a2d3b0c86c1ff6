import type { Translator } from '@bailiff/messages';
import type { Metadata } from 'next';
import { messagesFor } from './messages.ts';
import { numberOf } from './page-query.ts';

/**
 * The title of a page's tab, from the texts of the navigation: `generateMetadata = () => pageTitle((t) => t('cases'))`.
 */
export async function pageTitle(say: (t: Translator<'shell'>) => string): Promise<Metadata> {
  return { title: say(await messagesFor('shell')) };
}

/** The same for the page of one thing of a list, whose number tells its tab from those of others. */
export async function numberedTitle(
  params: Promise<{ number: string }>,
  say: (t: Translator<'shell'>) => string,
): Promise<Metadata> {
  const [{ number }, t] = await Promise.all([params, messagesFor('shell')]);
  return { title: numberOf(number) === undefined ? say(t) : `#${number} · ${say(t)}` };
}
