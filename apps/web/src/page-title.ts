import type { Translator } from '@bailiff/messages';
import type { Metadata } from 'next';
import { messagesFor } from './messages.ts';

/**
 * The title of a page's tab, from the texts of the navigation: `generateMetadata = () => pageTitle((t) => t('cases'))`.
 */
export async function pageTitle(say: (t: Translator<'shell'>) => string): Promise<Metadata> {
  return { title: say(await messagesFor('shell')) };
}
