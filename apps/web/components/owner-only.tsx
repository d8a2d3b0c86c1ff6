import { OwnerElsewhere } from './settings/owner-elsewhere.tsx';
import { PageHeader } from './ui/panel.tsx';

/** The page that a moderator sees if only the owner may use it. */
export function OwnerOnly({ title }: { title: string }) {
  return (
    <>
      <PageHeader title={title} />
      <OwnerElsewhere />
    </>
  );
}
