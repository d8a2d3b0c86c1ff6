import { parseAddress } from '@bailiff/core';
import { type Locale, translator } from '@bailiff/messages';
import { ButtonStyle, ComponentType } from 'discord.js';
import { isPublic } from './rcon/address.ts';

/** Endings of names that mean something in one network only (RFC 6761, RFC 6762, RFC 8375, and ICANN's `internal`). */
const LOCAL_ENDINGS = /\.(?:localhost|local|internal|home\.arpa|test)$/;

/** A row with a button to a case in the dashboard. None if the dashboard has no public address. */
export function caseLink(
  dashboardUrl: string,
  locale: Locale,
  { guildId, number }: { readonly guildId: string; readonly number: number },
) {
  if (!hasPublicAddress(dashboardUrl)) return [];
  const button = {
    type: ComponentType.Button,
    style: ButtonStyle.Link,
    label: translator(locale, 'notices')('openCase', { number: String(number) }),
    url: `${dashboardUrl}/guilds/${guildId}/cases/${number}`,
  } as const;
  return [{ type: ComponentType.ActionRow, components: [button] } as const];
}

/** Whether a dashboard can be reached from anywhere. Discord also refuses a whole message for a link to `localhost`. */
export function hasPublicAddress(dashboardUrl: string): boolean {
  const host = new URL(dashboardUrl).hostname.replace(/^\[(.*)\]$/, '$1');
  const address = parseAddress(host);
  if (address !== null) return isPublic(address);
  return host.includes('.') && !LOCAL_ENDINGS.test(host);
}
