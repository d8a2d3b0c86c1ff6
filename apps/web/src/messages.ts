import type { Locale, Namespace, Translator } from '@bailiff/messages';
import { translator } from '@bailiff/messages/dashboard';
import { headers } from 'next/headers';
import { cache } from 'react';
import { localeOfRequest } from './locale-of-request.ts';
import type { AuditSpeech } from './operation-words.ts';

/** The language of the page. */
export const currentLocale = cache(async (): Promise<Locale> => localeOfRequest(await headers()));

/** Says how operations and other events are called, in the language of the page; for components of the server. */
export async function auditSpeech(): Promise<AuditSpeech> {
  const locale = await currentLocale();
  return { operations: translator(locale, 'operations'), events: translator(locale, 'events') };
}

/** Says the messages of a namespace in the language of the page; for components of the server. */
export async function messagesFor<Name extends Namespace>(namespace: Name): Promise<Translator<Name>> {
  return translator(await currentLocale(), namespace);
}
