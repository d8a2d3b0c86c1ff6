import type { DescribedApproval } from '../src/describe-approval.ts';
import { Badge } from './ui/badge.tsx';
import { Panel } from './ui/panel.tsx';
import { RelativeTime } from './ui/relative-time.tsx';
import { Cell, HeaderCell, Table } from './ui/table.tsx';

/** Requests of the last day that no longer wait. */
export function ApprovalHistory({ approvals }: { approvals: readonly DescribedApproval[] }) {
  return (
    <section aria-labelledby="decided">
      <h2 id="decided" className="mb-2 font-semibold">
        The last day
      </h2>
      <Panel>
        <Table caption="Requests of the last day that no longer wait">
          <thead>
            <tr>
              <HeaderCell>Call</HeaderCell>
              <HeaderCell>Token</HeaderCell>
              <HeaderCell>Asked</HeaderCell>
              <HeaderCell>Decision</HeaderCell>
            </tr>
          </thead>
          <tbody>
            {approvals.map((approval) => (
              <tr key={approval.id}>
                <Cell className="min-w-64 wrap-break-word">{approval.sentence}</Cell>
                <Cell>{approval.token.name}</Cell>
                <Cell className="text-ink-soft">
                  <RelativeTime iso={approval.createdAt.toISOString()} />
                </Cell>
                <Cell>
                  <Decision approval={approval} />
                </Cell>
              </tr>
            ))}
          </tbody>
        </Table>
      </Panel>
    </section>
  );
}

function Decision({ approval }: { approval: DescribedApproval }) {
  switch (approval.state) {
    case 'approved_call':
      return approval.admitsUntil === null ? (
        <Badge tone="good">this call only</Badge>
      ) : (
        <Badge tone="waiting">this call only, not made yet</Badge>
      );
    case 'approved_window':
      return <Badge tone="good">a window</Badge>;
    case 'refused':
      return <Badge tone="bad">refused</Badge>;
    default:
      return <Badge tone="off">lapsed</Badge>;
  }
}
