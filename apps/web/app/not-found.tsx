import type { Metadata } from 'next';
import { TopBar } from '#components/top-bar.tsx';
import { LinkButton } from '#components/ui/button.tsx';
import { PageHeader } from '#components/ui/panel.tsx';
import { messagesFor } from '#src/messages.ts';
import { pageTitle } from '#src/page-title.ts';
import { currentSession } from '#src/pages.ts';

export const generateMetadata = (): Promise<Metadata> => pageTitle((t) => t('notFound'));

export default async function NotFound() {
  const t = await messagesFor('shell');
  return (
    <>
      {/* Nothing is looked up here, so that what is absent and what is hidden read the same. */}
      <TopBar session={await currentSession()} withWindows={false} />
      <main id="content" className="mx-auto w-full max-w-3xl px-4 py-16">
        <PageHeader title={t('notFoundTitle')}>{t('notFoundLead')}</PageHeader>
        <LinkButton href="/" variant="primary">
          {t('goToGuilds')}
        </LinkButton>
      </main>
    </>
  );
}
