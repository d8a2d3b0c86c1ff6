import { entryOf, showUnseen } from '@bailiff/core';
import { type AuditFile, auditFile, type CallReader } from '@bailiff/engine/audit/audit-entry';
import type { ActionRecord } from '@bailiff/engine/calls/actions';
import { readableKinds } from '@bailiff/engine/cases/cases';
import type { GuildView } from '@bailiff/engine/guilds/guilds';
import { notFound } from 'next/navigation';
import { AuditActor, AuditTable, AuditTarget, OutcomeBadge } from '#components/audit/audit-table.tsx';
import { kept } from '#components/kept.tsx';
import { Live } from '#components/live.tsx';
import { Messages } from '#components/messages.tsx';
import { LinkButton } from '#components/ui/button.tsx';
import { CodeBlock } from '#components/ui/code-block.tsx';
import { Link } from '#components/ui/link.tsx';
import { Fact, Facts, PageHeader, Panel, Section } from '#components/ui/panel.tsx';
import { RelativeTime } from '#components/ui/relative-time.tsx';
import { auditRow } from '#src/audit-row.ts';
import { describeCalls } from '#src/describe-calls.ts';
import { auditTexts, currentLocale, messagesFor } from '#src/messages.ts';
import { AUDIT_NAMESPACES, operationTitle } from '#src/operation-titles.ts';
import { pageTitle } from '#src/page-title.ts';
import { requireGuild } from '#src/pages.ts';
import { runtime } from '#src/runtime.ts';
import { sayFailure } from '#src/say-failure.ts';

export const generateMetadata = () => pageTitle((t) => t('audit'));

interface Props {
  params: Promise<{ guildId: string; entryId: string }>;
}

/** The page of one audit row: the request, its digest and its outcome. */
export default kept(AuditEntryPage);

async function AuditEntryPage({ params }: Props) {
  const { guild } = await requireGuild(params);
  const { entryId } = await params;
  // To a reader without `audit.read`, no row exists.
  if (!guild.capabilities.includes('audit.read') || !/^aud_[0-9a-f]{32}$/.test(entryId)) notFound();
  const file = await auditFile(runtime().db, guild, entryId);
  if (file === null) notFound();
  const t = await messagesFor('audit');
  const { entry, related } = file;
  const path = `/guilds/${guild.id}/audit`;
  return (
    <Messages namespaces={AUDIT_NAMESPACES}>
      <PageHeader
        title={operationTitle(await auditTexts(), entry.operation)}
        actions={<LinkButton href={path}>{t('back')}</LinkButton>}
      >
        {t(`outcomeWords.${entry.outcome}`)}
      </PageHeader>
      <div className="grid gap-x-6 lg:grid-cols-2">
        <Section title={t('entry')}>
          <Panel className="px-4 py-3">
            <EntryFacts guild={guild} file={file} path={path} />
          </Panel>
        </Section>
        <Call guild={guild} file={file} />
      </div>
      {related.length < 2 ? null : (
        <Section title={t('related')}>
          <Panel>
            <AuditTable
              guildId={guild.id}
              caption={t('relatedCaption')}
              rows={related.map((each) => auditRow(each, guild))}
            />
          </Panel>
        </Section>
      )}
      {entry.outcome === 'requested' || entry.outcome === 'unknown' ? (
        <Live guildId={guild.id} kinds={['action']} />
      ) : null}
    </Messages>
  );
}

async function EntryFacts({ guild, file, path }: { guild: GuildView; file: AuditFile; path: string }) {
  const t = await messagesFor('audit');
  const { entry, caseNumber } = file;
  const row = auditRow(entry, guild);
  const mayReadCases = readableKinds(guild.capabilities).length > 0;
  return (
    <Facts>
      <Fact name={t('when')}>
        <RelativeTime iso={row.at} /> <span className="text-ink-soft">({row.at})</span>
      </Fact>
      <Fact name={t('who')}>
        <AuditActor row={row} />
        {entry.actorUserId === null ? null : (
          <FilterLink path={path} name="actor" value={entry.actorUserId} />
        )}
      </Fact>
      <Fact name={t('what')}>
        <FilterLink path={path} name="operation" value={entry.operation} />
      </Fact>
      {entry.targetId === null ? null : (
        <Fact name={t('target')}>
          <AuditTarget row={row} />
          <FilterLink path={path} name="target" value={entry.targetId} />
        </Fact>
      )}
      <Fact name={t('outcome')}>
        <OutcomeBadge row={row} />
      </Fact>
      {entry.code === null ? null : (
        <Fact name={t('code')}>
          <code className="font-mono text-xs">{entry.code}</code>
        </Fact>
      )}
      {row.count === 1 ? null : (
        <Fact name={t('repeated')}>
          {t('times', { count: row.count })}, {t('lastTime')} <RelativeTime iso={row.lastAt} />{' '}
          <span className="text-ink-soft">({row.lastAt})</span>
        </Fact>
      )}
      {caseNumber === null || !mayReadCases ? null : (
        <Fact name={t('case')}>
          <Link href={`/guilds/${guild.id}/cases/${caseNumber}`} className="text-accent">
            {t('linkedCase', { number: String(caseNumber) })}
          </Link>
        </Fact>
      )}
      <Id name={t('address')} value={row.address} />
      {entry.requestId === null ? null : (
        <Fact name={t('requestId')}>
          <FilterLink path={path} name="request" value={entry.requestId} />
        </Fact>
      )}
      <Id name={t('actionId')} value={entry.actionId} />
      <Id name={t('digest')} value={entry.digest} />
      <Id name={t('entryId')} value={entry.id} />
    </Facts>
  );
}

function Id({ name, value }: { name: string; value: string | null }) {
  if (value === null) return null;
  return (
    <Fact name={name}>
      <code className="font-mono text-xs wrap-anywhere">{value}</code>
    </Fact>
  );
}

/** A link to all rows with the same value. */
function FilterLink({ path, name, value }: { path: string; name: string; value: string }) {
  return (
    <Link
      href={`${path}?${new URLSearchParams({ [name]: value })}`}
      className="text-accent block w-fit font-mono text-xs wrap-anywhere"
    >
      {value}
    </Link>
  );
}

/**
 * The call as a sentence and as JSON, and its answer, for readers who may see it. Details of other changes are for the
 * owner.
 */
async function Call({ guild, file }: { guild: GuildView; file: AuditFile }) {
  const { entry, action, hiddenTo } = file;
  const t = await messagesFor('audit');
  const hasDetails = guild.isOwner && entry.details !== null;
  if (action === null && hiddenTo === null && !hasDetails) return null;
  return (
    <Section title={t('theRequest')}>
      <div className="grid gap-3">
        {action === null ? null : <PerformedCall guild={guild} action={action} />}
        {hiddenTo === null ? null : <HiddenCall reader={hiddenTo} />}
        {hasDetails ? <CodeBlock label={t('details')} text={asText(entry.details)} /> : null}
      </div>
    </Section>
  );
}

async function HiddenCall({ reader }: { reader: CallReader }) {
  const t = await messagesFor('audit');
  const why =
    reader === 'nobody'
      ? // Who is reported may read this, and would learn by whom (decisions: Reports).
        t('ofReport')
      : reader === 'owner'
        ? t('ownersOnly')
        : t('hidden', { capability: reader });
  return <Panel className="text-ink-soft px-4 py-3">{why}</Panel>;
}

async function PerformedCall({ guild, action }: { guild: GuildView; action: ActionRecord }) {
  const t = await messagesFor('audit');
  const locale = await currentLocale();
  const [described] = await describeCalls(runtime().db, guild, [action], locale);
  const archiveId = archiveIn(action);
  return (
    <>
      <Panel className="px-4 py-3">
        <Facts>
          <Fact name={t('inWords')}>{described?.sentence ?? action.operation}</Fact>
          {action.error === null ? null : <Fact name={t('reason')}>{sayFailure(locale, action.error)}</Fact>}
          {archiveId === null ? null : (
            <Fact name={t('archive')}>
              <Link href={`/guilds/${guild.id}/archives/${archiveId}`} className="text-accent">
                {t('readArchive')}
              </Link>
            </Fact>
          )}
        </Facts>
      </Panel>
      <CodeBlock label={t('input')} text={asText(action.input)} />
      {action.result === null ? null : <CodeBlock label={t('answer')} text={asText(action.result)} />}
    </>
  );
}

/** The archive of the messages that a purge deleted. */
function archiveIn({ operation, result }: ActionRecord): string | null {
  if (operation !== 'messages.purge') return null;
  const parsed = entryOf(operation).output.safeParse(result);
  return parsed.success ? parsed.data.purge.archive_id : null;
}

const MOST_CHARACTERS = 20_000;

function asText(value: unknown): string {
  const text = showUnseen(JSON.stringify(value, null, 2), '\n');
  return text.length > MOST_CHARACTERS ? `${text.slice(0, MOST_CHARACTERS)}…` : text;
}
