import { showUnseen } from '@bailiff/core';
import type { GuildView } from '@bailiff/engine/guilds/guilds';
import { type ApprovalView, listApprovals } from '@bailiff/engine/tokens/approvals';
import { listTokens, type TokenView } from '@bailiff/engine/tokens/token-view';
import { callsInWindows } from '@bailiff/engine/tokens/window-calls';
import { ApprovalHistory } from '#components/approvals/approval-history.tsx';
import { ApprovalList } from '#components/approvals/approval-list.tsx';
import { TokenWindows } from '#components/approvals/token-windows.tsx';
import { GuideLink } from '#components/documents/guide-link.tsx';
import { kept } from '#components/kept.tsx';
import { Live } from '#components/live.tsx';
import { Messages } from '#components/messages.tsx';
import { OwnerOnly } from '#components/owner-only.tsx';
import { LinkButton } from '#components/ui/button.tsx';
import { Callout, EmptyState, PageHeader, Panel, Section } from '#components/ui/panel.tsx';
import { listedPeople, subjectViews } from '#src/approval-subjects.ts';
import { describeCalls } from '#src/describe-calls.ts';
import { currentLocale, messagesFor } from '#src/messages.ts';
import { pageTitle } from '#src/page-title.ts';
import { type GuildPageProps, requireGuild } from '#src/pages.ts';
import { runtime } from '#src/runtime.ts';

export const generateMetadata = () => pageTitle((t) => t('approvals'));

/** Refreshes sooner than other pages, because an owner waits to see the effect of a decision. */
const MIN_INTERVAL_MS = 300;

export default kept(ApprovalsPage);

async function ApprovalsPage({ params, searchParams }: GuildPageProps) {
  const { session, guild } = await requireGuild(params);
  const shell = await messagesFor('shell');
  const title = shell('approvals');
  if (!guild.isOwner) return <OwnerOnly title={title} />;
  const t = await messagesFor('approvals');
  const overview = await messagesFor('overview');
  const asked = await searchParams;
  const linked = /^apr_[0-9a-f]{32}$/.exec(String(asked.approval))?.[0] ?? null;
  const { db, config } = runtime();
  const [found, tokens] = await Promise.all([
    listApprovals(db, session.userId, guild.id, linked),
    listTokens(db, session.userId, guild.id),
  ]);
  const [approvals, windows] = await Promise.all([
    describeCalls(db, guild, found, await currentLocale()),
    windowsOf(guild, tokens),
  ]);
  const pending = approvals
    .filter(({ state }) => state === 'pending')
    .sort((one, other) => one.createdAt.getTime() - other.createdAt.getTime());
  const isAsked = ({ id }: ApprovalView) => Number(id === asked.approval);
  const decided = approvals.filter(({ state }) => state !== 'pending');
  // Whom the request that a link names would act on is shown in any case.
  const linkedFirst = pending.toSorted((one, other) => isAsked(other) - isAsked(one));
  const [subjects, people] = await Promise.all([
    subjectViews(guild, pending),
    listedPeople(guild, linkedFirst),
  ]);
  const now = Date.now();
  return (
    <Messages namespaces={['approvals']}>
      <PageHeader title={title}>
        {t('lead')} <GuideLink topic="approvals" />
      </PageHeader>
      <LinkedRequest approval={approvals.find(({ id }) => id === asked.approval)} asked={asked.approval} />
      <Section title={t('waiting')}>
        <ApprovalList
          waiting={overview('pendingApprovals', { count: pending.length })}
          requests={pending.map((approval) => ({
            id: approval.id,
            sentence: approval.sentence,
            operation: approval.operation,
            input: showUnseen(JSON.stringify(approval.input, null, 2), '\n'),
            tokenName: approval.token.name,
            address: approval.address,
            requestId: approval.requestId,
            subject: subjects[approval.id] ?? null,
            ...(people[approval.id] ?? { count: 0, people: [] }),
            createdAt: approval.createdAt.toISOString(),
            lapsesInMs: approval.expiresAt.getTime() - now,
            windowMinutes: config.reauthWindowMinutes,
            highlighted: approval.id === asked.approval,
          }))}
        >
          <Panel>
            <EmptyState title={t('nothingWaits')}>{t('nothingWaitsText')}</EmptyState>
          </Panel>
        </ApprovalList>
      </Section>
      <TokenWindows
        windowMinutes={config.reauthWindowMinutes}
        tokens={windows.map((window) => ({ ...window, highlighted: window.id === asked.token }))}
        help={<GuideLink topic="windows" />}
        toTokens={<LinkButton href={`/guilds/${guild.id}/tokens`}>{shell('tokens')}</LinkButton>}
      />
      {decided.length === 0 ? null : <ApprovalHistory approvals={decided} />}
      <Live
        guildId={guild.id}
        kinds={['approval', 'window', 'token', 'action']}
        minIntervalMs={MIN_INTERVAL_MS}
      />
    </Messages>
  );
}

/** The active tokens with their windows, and the calls made in each open one. */
async function windowsOf(guild: GuildView, tokens: readonly TokenView[]) {
  const { db } = runtime();
  const usable = tokens.filter(({ state }) => state === 'active');
  const open = usable.flatMap(({ window }) => (window === null ? [] : [window.id]));
  const made = await callsInWindows(db, guild.id, open);
  const calls = await describeCalls(db, guild, made, await currentLocale());
  const now = Date.now();
  return usable.map(({ id, name, kind, secretLastFour, window }) => ({
    id,
    name,
    kind,
    hint: `svcpat_…${secretLastFour}`,
    open:
      window === null
        ? null
        : {
            leftMs: window.expiresAt.getTime() - now,
            calls: calls
              .filter(({ windowId }) => windowId === window.id)
              .map((call) => ({
                id: call.id,
                sentence: call.sentence,
                state: call.state,
                at: call.createdAt.toISOString(),
              })),
          },
  }));
}

const GONE = {
  lapsed: 'linkLapsed',
  admitted: 'linkAdmitted',
  approved_call: 'linkApprovedCall',
  approved_window: 'linkApprovedWindow',
  refused: 'linkRefused',
  withdrawn: 'linkWithdrawn',
} as const;

/** The outcome of the request that an error message linked to, if it is no longer pending. */
async function LinkedRequest({
  approval,
  asked,
}: {
  approval: ApprovalView | undefined;
  asked: string | string[] | undefined;
}) {
  if (typeof asked !== 'string' || approval?.state === 'pending') return null;
  const t = await messagesFor('approvals');
  return (
    <div className="mb-4">
      <Callout title={t('linkGone')}>
        {approval === undefined ? t('linkUnknown') : t(GONE[approval.state as keyof typeof GONE])}
      </Callout>
    </div>
  );
}
