import { EmptyState, PageHeader, Panel } from './ui/panel.tsx';

/** What a moderator sees where only the owner can do something. */
export function OwnerOnly({ title }: { title: string }) {
  return (
    <>
      <PageHeader title={title} />
      <Panel>
        <EmptyState title="Only the guild's owner can do this">
          You moderate this guild. Ask its owner if something here needs to change.
        </EmptyState>
      </Panel>
    </>
  );
}
