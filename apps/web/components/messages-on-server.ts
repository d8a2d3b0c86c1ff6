import type { Locale, Namespace } from '@bailiff/messages';
import { pageMessages } from '#src/page-messages.ts';

/** The messages as they are written: the formatter of the server reads them. */
export function messagesHere(locale: Locale, namespaces: readonly Namespace[], _compiled: object): object {
  return pageMessages(locale, namespaces);
}
