import type { Translator } from '@bailiff/messages';
import type { Metadata } from 'next';
import { messagesFor } from './messages.ts';

/** What the tab of a page says, in the words of the navigation: `generateMetadata = () => pageTitle((t) => t('cases'))`. */
export async function pageTitle(say: (t: Translator<'shell'>) => string): Promise<Metadata> {
  return { title: say(await messagesFor('shell')) };
}
