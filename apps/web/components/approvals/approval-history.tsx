import type { ApprovalView } from '@bailiff/engine/tokens/approvals';
import { Badge } from '#components/ui/badge.tsx';
import { Panel, Section } from '#components/ui/panel.tsx';
import { RelativeTime } from '#components/ui/relative-time.tsx';
import { Cell, Table, TableHead } from '#components/ui/table.tsx';
import type { Described } from '#src/describe-calls.ts';
import { messagesFor } from '#src/messages.ts';
import { DecideAgain } from './decide-again.tsx';

/** The requests of the last day that are no longer pending. */
export async function ApprovalHistory({ approvals }: { approvals: readonly Described<ApprovalView>[] }) {
  const t = await messagesFor('approvals');
  return (
    <Section title={t('lastDay')}>
      <Panel>
        <Table caption={t('lastDayCaption')} cards>
          <TableHead columns={[t('call'), t('token'), t('asked'), t('decision')]} />
          <tbody>
            {approvals.map((approval) => (
              <tr key={approval.id}>
                <Cell className="min-w-64 wrap-anywhere">{approval.sentence}</Cell>
                <Cell label={t('token')}>{approval.token.name}</Cell>
                <Cell label={t('asked')} className="text-ink-soft">
                  <RelativeTime iso={approval.createdAt.toISOString()} />
                </Cell>
                <Cell label={t('decision')}>
                  <Decision approval={approval} />
                </Cell>
              </tr>
            ))}
          </tbody>
        </Table>
      </Panel>
    </Section>
  );
}

async function Decision({ approval }: { approval: ApprovalView }) {
  const t = await messagesFor('approvals');
  switch (approval.state) {
    case 'approved_call':
      return approval.admitsUntil === null ? (
        <Badge tone="good">{t('madeCall')}</Badge>
      ) : (
        <span className="flex flex-wrap items-center gap-1.5">
          <Badge tone="waiting">{t('unmadeCall')}</Badge>
          <DecideAgain id={approval.id} decision="withdraw" />
        </span>
      );
    case 'approved_window':
      return <Badge tone="good">{t('aWindow')}</Badge>;
    case 'admitted':
      return <Badge tone="waiting">{t('admitted')}</Badge>;
    case 'withdrawn':
      return <Badge tone="off">{t('withdrawn')}</Badge>;
    case 'refused':
      return (
        <span className="flex flex-wrap items-center gap-1.5">
          <Badge tone="bad">{t('refused')}</Badge>
          {approval.canBeAllowed ? <DecideAgain id={approval.id} decision="call_after_refusal" /> : null}
        </span>
      );
    default:
      return <Badge tone="off">{t('lapsed')}</Badge>;
  }
}
