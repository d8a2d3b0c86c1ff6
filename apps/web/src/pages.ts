import type { Session } from '@bailiff/engine/desk/sessions';
import { type GuildView, guildFor } from '@bailiff/engine/guilds/guilds';
import { cookies, headers } from 'next/headers';
import { notFound, redirect } from 'next/navigation';
import { cache } from 'react';
import { type ColumnList, type ColumnOf, shownColumns } from './columns.ts';
import { ADDRESS_HEADER, nonceOf, PATH_HEADER, PROXY_HEADER } from './http/headers.ts';
import { LOCALE_COOKIE } from './locale-of-request.ts';
import type { PageQuery } from './page-query.ts';
import { runtime } from './runtime.ts';
import { sessionOf } from './session.ts';
import { SHORTCUTS_COOKIE } from './shortcuts.ts';

/** The cookies of a browser's preferences, which the server uses to render pages. */
export const PREFERENCES = {
  developerMode: 'bailiff.developer-mode',
  locale: LOCALE_COOKIE,
  shortcuts: SHORTCUTS_COOKIE,
  theme: 'bailiff.theme',
  times: 'bailiff.times',
  /** The hidden columns of lists. */
  columns: { cases: 'bailiff.columns.cases', audit: 'bailiff.columns.audit' },
} as const;

export const THEMES = ['dark', 'light'] as const;

/** The session of the page's viewer, or null; read once per request. */
export const currentSession = cache(
  async (): Promise<Session | null> => sessionOf(runtime(), await headers()),
);

/** The session of the page's viewer. Others are redirected to sign in first. */
export async function requireSession(): Promise<Session> {
  const session = await currentSession();
  if (session !== null) return session;
  const path = localPath((await headers()).get(PATH_HEADER) ?? '/');
  redirect(`/sign-in?callbackUrl=${encodeURIComponent(path)}`);
}

const guildOfRequest = cache((guildId: string, userId: string) => guildFor(runtime().db, guildId, userId));

/** What Next gives to a page of a guild. */
export interface GuildPageProps {
  readonly params: Promise<{ guildId: string }>;
  readonly searchParams: Promise<PageQuery>;
}

/**
 * The guild of the page, for people who own or moderate it; for others the page does not exist. Each page checks this
 * itself, because Next does not render a layout again when its pages change.
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

/** Whether this browser has Developer Mode on, which shows the pages for developers (spec §5.7). */
export async function isDeveloperMode(): Promise<boolean> {
  return (await cookies()).get(PREFERENCES.developerMode)?.value === 'on';
}

/** Whether keys without Ctrl are shortcuts in this browser, as they are until somebody switches them off. */
export async function hasShortcuts(): Promise<boolean> {
  return (await cookies()).get(PREFERENCES.shortcuts)?.value !== 'off';
}

/** Whether this browser shows exact times instead of relative ones. */
export async function hasExactTimes(): Promise<boolean> {
  return (await cookies()).get(PREFERENCES.times)?.value === 'exact';
}

/** The columns of a list that this browser shows. */
export async function columnsOf<List extends ColumnList>(list: List): Promise<readonly ColumnOf<List>[]> {
  return shownColumns(list, (await cookies()).get(PREFERENCES.columns[list])?.value);
}

/** The client's address. */
export async function clientAddress(): Promise<string> {
  return (await headers()).get(ADDRESS_HEADER) ?? '';
}

/**
 * The address of the proxy through which the viewer came, if `TRUSTED_PROXIES` does not name it: then the viewer's own
 * address is not known. Null if it is.
 */
export async function forgottenProxy(): Promise<string | null> {
  return (await headers()).get(PROXY_HEADER);
}

/** What the page's own scripts must have to run. */
export async function scriptNonce(): Promise<string | undefined> {
  return nonceOf((await headers()).get('content-security-policy'));
}

/** The theme that was chosen in this browser; null if pages follow the system. */
export async function currentTheme(): Promise<(typeof THEMES)[number] | null> {
  const chosen = (await cookies()).get(PREFERENCES.theme)?.value;
  return THEMES.find((theme) => theme === chosen) ?? null;
}

/** A path of this site from a query parameter; the start page if it is not one. */
export function localPath(value: string | string[] | undefined): string {
  const ours = 'http://bailiff.invalid';
  const url = typeof value === 'string' && value.startsWith('/') ? URL.parse(value, ours) : null;
  if (url === null || url.origin !== ours) return '/';
  url.searchParams.delete('_rsc'); // Next adds it to requests for a part of a page
  const path = `${url.pathname}${url.search}`;
  // Normalizing can uncover another host: `/.//evil.example` becomes `//evil.example`.
  return path.startsWith('//') ? '/' : path;
}
