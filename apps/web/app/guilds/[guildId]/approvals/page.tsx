import { listApprovals, listTokens } from '@bailiff/engine';
import type { Metadata } from 'next';
import { ApprovalCard } from '../../../../components/approval-card.tsx';
import { ApprovalHistory } from '../../../../components/approval-history.tsx';
import { OwnerOnly } from '../../../../components/owner-only.tsx';
import { TokenWindows } from '../../../../components/token-windows.tsx';
import { EmptyState, Notice, PageHeader, Panel } from '../../../../components/ui/panel.tsx';
import { type DescribedApproval, describeApprovals } from '../../../../src/describe-approval.ts';
import { requireGuild } from '../../../../src/pages.ts';
import { runtime } from '../../../../src/runtime.ts';

export const metadata: Metadata = { title: 'Approvals' };

interface Props {
  params: Promise<{ guildId: string }>;
  searchParams: Promise<Record<string, string | string[] | undefined>>;
}

export default async function ApprovalsPage({ params, searchParams }: Props) {
  const { session, guild } = await requireGuild(params);
  if (!guild.isOwner) return <OwnerOnly title="Approvals" />;
  const asked = await searchParams;
  const { db, config } = runtime();
  const [found, tokens] = await Promise.all([
    listApprovals(db, session.userId, guild.id),
    listTokens(db, session.userId, guild.id),
  ]);
  const approvals = await describeApprovals(db, guild, found);
  const pending = approvals
    .filter(({ state }) => state === 'pending')
    .sort((a, b) => Number(b.id === asked.approval) - Number(a.id === asked.approval));
  const decided = approvals.filter(({ state }) => state !== 'pending');
  const usable = tokens.filter(({ state }) => state === 'active');
  const now = Date.now();
  return (
    <>
      <PageHeader title="Approvals">
        Destructive calls of your tokens wait here until you allow them. Allow only what you expected.
      </PageHeader>
      <AskedFor approval={approvals.find(({ id }) => id === asked.approval)} asked={asked.approval} />
      <section aria-labelledby="waiting" className="mb-7">
        <h2 id="waiting" className="mb-2 font-semibold">
          Waiting for you
        </h2>
        {pending.length === 0 ? (
          <Panel>
            <EmptyState title="Nothing waits">
              When a token makes a destructive call without an open window, the exact call appears here for an
              hour.
            </EmptyState>
          </Panel>
        ) : (
          <ul className="grid gap-3 2xl:grid-cols-2">
            {pending.map((approval) => (
              <li key={approval.id}>
                <ApprovalCard
                  id={approval.id}
                  sentence={approval.sentence}
                  operation={approval.operation}
                  input={JSON.stringify(approval.input, null, 2)}
                  tokenName={approval.token.name}
                  address={approval.address}
                  requestId={approval.requestId}
                  createdAt={approval.createdAt.toISOString()}
                  lapsesInMs={approval.expiresAt.getTime() - now}
                  windowMinutes={config.reauthWindowMinutes}
                  highlighted={approval.id === asked.approval}
                />
              </li>
            ))}
          </ul>
        )}
      </section>
      <TokenWindows
        windowMinutes={config.reauthWindowMinutes}
        tokens={usable.map((token) => ({
          id: token.id,
          name: token.name,
          kind: token.kind,
          hint: `svcpat_…${token.secretLastFour}`,
          leftMs: token.window === null ? null : token.window.expiresAt.getTime() - now,
          highlighted: token.id === asked.token,
        }))}
      />
      {decided.length === 0 ? null : <ApprovalHistory approvals={decided} />}
    </>
  );
}

/** What became of the request that the link in an error named, when it no longer waits. */
function AskedFor({
  approval,
  asked,
}: {
  approval: DescribedApproval | undefined;
  asked: string | string[] | undefined;
}) {
  if (typeof asked !== 'string' || approval?.state === 'pending') return null;
  const said =
    approval === undefined
      ? 'It is more than a day old, or it is not of this guild.'
      : {
          lapsed: 'It lapsed after an hour. Let the caller ask again.',
          approved_call: 'You approved this call only.',
          approved_window: 'You approved it with a window.',
          refused: 'You refused it.',
        }[approval.state];
  return (
    <div className="mb-4">
      <Notice title="The call of this link does not wait any more">{said}</Notice>
    </div>
  );
}
