import type { Locale, Namespace, Translator } from '@bailiff/messages';
import { translator } from '@bailiff/messages/dashboard';
import { headers } from 'next/headers';
import { cache } from 'react';
import { localeOfRequest } from './locale-of-request.ts';
import type { AuditTexts } from './operation-titles.ts';

/** The language of the page. */
export const currentLocale = cache(async (): Promise<Locale> => localeOfRequest(await headers()));

/** The messages that name operations and events, in the language of the page; for server components. */
export async function auditTexts(): Promise<AuditTexts> {
  const locale = await currentLocale();
  return { operations: translator(locale, 'operations'), events: translator(locale, 'events') };
}

/** The messages of a namespace in the language of the page; for server components. */
export async function messagesFor<Name extends Namespace>(namespace: Name): Promise<Translator<Name>> {
  return translator(await currentLocale(), namespace);
}
