import type { FormOperation } from '@bailiff/core';
import {
  claimReportPost,
  leaveReportPost,
  type PostedReport,
  type ReportPost,
  reportToPost,
  settleReportPost,
} from '@bailiff/engine/reports/report-posts';
import { DEFAULT_LOCALE, type Locale, localeOf, sayUndelivered, translator } from '@bailiff/messages';
import {
  type APIActionRowComponent,
  type APIButtonComponentWithCustomId,
  type APIEmbed,
  ButtonStyle,
  ComponentType,
  messageLink,
  type RawFile,
  Routes,
} from 'discord.js';
import type { Words } from './blocked-text.ts';
import { moment, oneLine, quoted } from './chat/text.ts';
import { sentOnce } from './direct-message.ts';
import { DiscordFailure, requestTimeoutMs } from './discord-api.ts';
import { meaningOf } from './discord-errors.ts';
import { fetchFiles } from './evidence.ts';
import { mayBePosted, problemOf, showMessage } from './log-channel.ts';
import { depsIn, type PerformerDeps } from './performers/deps.ts';

export interface ReportDeps extends PerformerDeps {
  /** Hosts that files may be fetched from. */
  readonly fileOrigins: readonly string[];
  /** Fires when the bot ends. */
  readonly closing: AbortSignal;
}

/** What a moderator can do about a report from its post, each with the operation's own form. */
export const ACTS_ON_REPORTS = [
  'warnings.add',
  'strikes.add',
  'mutes.add',
  'members.kick',
  'bans.add',
] as const satisfies readonly FormOperation[];

/** The beginning of the custom ids of a post's buttons. */
export const REPORT_BUTTON = 'report:';

const COLOURS = { open: 0xd65454, claimed: 0xe0a83c, closed: 0x6b7280 } as const;
const LONGEST_TEXT = 900;
/** How often a post is written because the report changed while it was being written. */
const MOST_ROUNDS = 5;

/**
 * Shows the present state of a report in its guild's channel for reports: posts a message, or edits the existing one,
 * also one whose answer was lost. Throws if the queue should try again.
 */
export async function postReport(
  all: ReportDeps,
  { guildId, reportId }: { readonly guildId: string; readonly reportId: string },
  signal: AbortSignal,
): Promise<void> {
  const deps = { ...all, ...depsIn(all, guildId) };
  let written: string | null = null;
  for (let round = 0; round < MOST_ROUNDS; round += 1) {
    const shown = await reportToPost(deps.db, guildId, reportId);
    // Two workers may write at the same time. The one that wrote what is old by now sees that, and writes again.
    if (shown === null || stateIn(shown) === written) return;
    const post = await claimReportPost(deps.db, shown);
    if (post === null) return;
    written = stateIn({ ...shown, channel: post.channelId });
    try {
      await write(deps, shown, post, signal);
    } catch (error) {
      if (!mayBePosted(post, error)) await leaveReportPost(deps.db, reportId, post.channelId);
      if (!(error instanceof DiscordFailure) || problemOf(error) === null) throw error;
      // The dashboard has it all the same, and another channel that was chosen meanwhile gets it.
      deps.log.warn({ err: error, guild_id: guildId, report_id: reportId }, 'report not posted');
    }
  }
  throw new Error(`Report ${reportId} changes faster than it is posted.`);
}

/** What a post shows that can change, and where it is. */
function stateIn({ channel, status, claimed_by, notice }: PostedReport): string {
  return [channel, status, claimed_by, notice].join(' ');
}

async function write(
  deps: ReportDeps,
  shown: PostedReport & { readonly guild_id: string },
  post: ReportPost,
  signal: AbortSignal,
): Promise<void> {
  const { api, db } = deps;
  const { channelId } = post;
  const locale = localeOf(shown.language) ?? DEFAULT_LOCALE;
  // On a slow line files take longer than the rest of the work may, and than a bot that ends waits.
  const inTimeFor = (files: RawFile[]) =>
    AbortSignal.any([deps.closing, AbortSignal.timeout(requestTimeoutMs(files))]);
  const postWithFiles = async (all: object) => {
    const hasFiles = shown.message !== null && shown.message.files.length > 0;
    const files = await filesOf(deps, shown, AbortSignal.any([signal, deps.closing]));
    const send = (content: string, attached: RawFile[]) =>
      api.send('POST', Routes.channelMessages(channelId), {
        // A bot that ends has not fetched all of them: its next start posts the report, with its files.
        signal: hasFiles ? inTimeFor(attached) : signal,
        body: { ...all, content, ...sentOnce(shown.id, channelId) },
        ...(attached.length === 0 ? {} : { files: attached }),
      });
    return send('', files).catch((error: unknown) => {
      if (files.length === 0 || !(error instanceof DiscordFailure) || problemOf(error) === null) throw error;
      // The report matters more than its files. Discord may also block them, and does not say whether it means these or
      // the text: if it is the text, it blocks this too, and the post comes here again without it.
      const t = translator(locale, 'reports');
      if (meaningOf(error) !== 'BOT_MISSING_PERMISSION') return send(t('filesRefused'), []);
      const permission = translator(locale, 'errors')('permissions.AttachFiles');
      return send(t('filesLeft', { permission }), []);
    });
  };
  const about = {
    ...{ guildId: shown.guild_id, about: shown.id, locale, page: 'reports' },
    embedIn: (words: Words) => embedOf(shown, post, locale, words),
    components: shown.status === 'closed' ? [] : rowsOf(shown, locale),
  };
  const messageId = await showMessage(deps, { ...post, ...about, post: postWithFiles }, signal);
  if (post.messageId === null) await settleReportPost(db, shown.id, { channelId, messageId });
}

/** The files of the reported message, so that they outlast it. Those that cannot be fetched in time are named only. */
function filesOf(deps: ReportDeps, { message }: PostedReport, signal: AbortSignal): Promise<RawFile[]> {
  if (message === null || message.files.length === 0) return Promise.resolve([]);
  return fetchFiles(deps, message.files, signal);
}

function embedOf(
  shown: PostedReport & { readonly guild_id: string },
  { namesAuthor }: ReportPost,
  locale: Locale,
  words: Words,
): APIEmbed {
  const t = translator(locale, 'reports');
  const field = (name: string, value: string, inline = false) => ({ name, value, inline });
  const undelivered =
    shown.notice === null ? null : sayUndelivered(locale, shown.notice, `<@${shown.reported_by}>`);
  return {
    title: t('postTitle', { number: String(shown.number) }),
    color: COLOURS[shown.status],
    fields: [
      field(t('reported'), `<@${shown.user_id}>\n${shown.user_id}`, true),
      field(t('by'), namesAuthor ? `<@${shown.reported_by}>` : t('byHidden'), true),
      field(t('state'), sayState(shown, locale), true),
      field(t('reason'), quoted(words(shown.reason), LONGEST_TEXT)),
      ...messageLines(shown, locale, words).map((value) => field(t('message'), value)),
      ...(shown.answer === null ? [] : [field(t('answer'), quoted(words(shown.answer), LONGEST_TEXT))]),
      ...(undelivered === null || !namesAuthor ? [] : [field(t('notice'), undelivered)]),
    ],
    footer: { text: shown.id },
    timestamp: shown.reported_at.toISOString(),
  };
}

function sayState({ status, claimed_by, closed_by, closed_at }: PostedReport, locale: Locale): string {
  const t = translator(locale, 'reports');
  if (status === 'open') return t('open');
  if (status === 'claimed') return t('claimedBy', { by: `<@${claimed_by}>` });
  return t('closedBy', { by: `<@${closed_by}>`, date: moment(closed_at?.toISOString() ?? '', 'f') });
}

function messageLines(
  { message, message_id, channel_id, guild_id }: PostedReport & { readonly guild_id: string },
  locale: Locale,
  words: Words,
): string[] {
  if (message === null || message_id === null || channel_id === null) return [];
  const { text, files } = message;
  const names = oneLine(words(files.map(({ name }) => name).join(', ')), 200);
  const lines = [
    text === '' ? '' : quoted(words(text), LONGEST_TEXT - 300),
    files.length === 0 ? '' : translator(locale, 'reports')('files', { count: files.length, names }),
    messageLink(channel_id, message_id, guild_id),
  ];
  return [lines.filter(Boolean).join('\n')];
}

type Row = APIActionRowComponent<APIButtonComponentWithCustomId>;

function rowsOf({ id, status }: PostedReport, locale: Locale): Row[] {
  const t = translator(locale, 'reports');
  const say = translator(locale, 'operations');
  const button = (purpose: string, label: string, style: APIButtonComponentWithCustomId['style']) =>
    ({
      type: ComponentType.Button,
      style,
      label,
      custom_id: `${REPORT_BUTTON}${purpose}:${id}`,
    }) satisfies APIButtonComponentWithCustomId;
  const row = (...components: APIButtonComponentWithCustomId[]): Row => ({
    type: ComponentType.ActionRow,
    components,
  });
  return [
    row(
      ...(status === 'open' ? [button('claim', t('claimButton'), ButtonStyle.Primary)] : []),
      button('close', t('closeButton'), ButtonStyle.Success),
    ),
    row(
      ...ACTS_ON_REPORTS.map((operation) =>
        button(operation, say(`${operation}.dashboard.button`), ButtonStyle.Secondary),
      ),
    ),
  ];
}
