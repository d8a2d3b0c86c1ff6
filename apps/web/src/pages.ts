import type { Session } from '@bailiff/engine/desk/sessions';
import { type GuildView, guildFor } from '@bailiff/engine/guilds/guilds';
import { cookies, headers } from 'next/headers';
import { notFound, redirect } from 'next/navigation';
import { cache } from 'react';
import { ADDRESS_HEADER, PATH_HEADER } from './http/headers.ts';
import { LOCALE_COOKIE } from './locale-of-request.ts';
import { runtime } from './runtime.ts';
import { sessionOf } from './session.ts';

/** Preferences that a browser keeps; the server renders by them. */
export const PREFERENCES = {
  developerMode: 'bailiff.developer-mode',
  locale: LOCALE_COOKIE,
  theme: 'bailiff.theme',
} as const;

export type Theme = 'dark' | 'light';

/** Who looks at the page, or null; asked once for each request. */
export const currentSession = cache(
  async (): Promise<Session | null> => sessionOf(runtime(), await headers()),
);

/** Who looks at the page; who is not signed in goes there first and comes back. */
export async function requireSession(): Promise<Session> {
  const session = await currentSession();
  if (session !== null) return session;
  const path = localPath((await headers()).get(PATH_HEADER) ?? '/');
  redirect(`/sign-in?callbackUrl=${encodeURIComponent(path)}`);
}

const guildOfRequest = cache((guildId: string, userId: string) => guildFor(runtime().db, guildId, userId));

/**
 * The guild of the page, for someone who owns or moderates it. To everybody else it does not exist. Each page asks by
 * itself: a layout is not rendered again when its pages change.
 */
export async function requireGuild(params: Promise<{ guildId: string }>): Promise<{
  session: Session;
  guild: GuildView;
}> {
  const session = await requireSession();
  const { guildId } = await params;
  const guild = await guildOfRequest(guildId, session.userId);
  if (guild === null) notFound();
  return { session, guild };
}

/** Developer Mode shows what is for people who write programs; a switch of this browser (spec §5.7). */
export async function isDeveloperMode(): Promise<boolean> {
  return (await cookies()).get(PREFERENCES.developerMode)?.value === 'on';
}

/** The address that the page is asked for from. */
export async function clientAddress(): Promise<string> {
  return (await headers()).get(ADDRESS_HEADER) ?? '';
}

export async function currentTheme(): Promise<Theme> {
  return (await cookies()).get(PREFERENCES.theme)?.value === 'light' ? 'light' : 'dark';
}

/** A path of this site out of a query parameter; anything else becomes the start page. */
export function localPath(value: string | string[] | undefined): string {
  if (typeof value !== 'string' || !value.startsWith('/') || /^\/[/\\]/.test(value)) return '/';
  const url = new URL(value, 'http://bailiff.invalid');
  url.searchParams.delete('_rsc'); // Next's own, when it asks for a part of a page
  return url.host === 'bailiff.invalid' ? `${url.pathname}${url.search}` : '/';
}
