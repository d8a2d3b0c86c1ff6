import { AnnounceSignIn } from '#components/announce-sign-in.tsx';
import { TopBar } from '#components/top-bar.tsx';
import { Panel } from '#components/ui/panel.tsx';
import { messagesFor } from '#src/messages.ts';
import { requireSession } from '#src/pages.ts';

export async function generateMetadata() {
  return { title: (await messagesFor('session'))('backTitle') };
}

/** The page after a sign-in in a separate tab, which was opened because the session of another tab had ended. */
export default async function SignedInPage() {
  const session = await requireSession();
  const t = await messagesFor('session');
  return (
    <>
      <TopBar session={session} />
      <main id="content" className="mx-auto w-full max-w-md px-4 py-16">
        <Panel className="p-6">
          <h1 className="text-xl font-semibold tracking-tight">{t('backTitle')}</h1>
          <p className="text-ink-soft mt-1">{t('backLead')}</p>
        </Panel>
        <AnnounceSignIn />
      </main>
    </>
  );
}
