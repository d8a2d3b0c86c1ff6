import { EXAMPLE_IDS, Snowflake } from '@bailiff/core';
import type { Metadata } from 'next';
import { TopBar } from '#components/top-bar.tsx';
import { buttonClass } from '#components/ui/button.tsx';
import { PageHeader } from '#components/ui/panel.tsx';
import { messagesFor } from '#src/messages.ts';
import { pageTitle } from '#src/page-title.ts';
import { currentSession } from '#src/pages.ts';
import { runtime } from '#src/runtime.ts';
import { Contents, Reference } from './reference.tsx';

export const generateMetadata = (): Promise<Metadata> => pageTitle((t) => t('apiReference'));

interface Query {
  searchParams: Promise<Record<string, string | string[] | undefined>>;
}

/**
 * The API reference, public also without signing in. `?guild=` fills in the examples with one of the reader's guilds.
 */
export default async function ApiReferencePage({ searchParams }: Query) {
  const { config } = runtime();
  const [t, shell] = await Promise.all([messagesFor('docs'), messagesFor('shell')]);
  const guild = Snowflake.safeParse((await searchParams).guild);
  const context = {
    origin: config.publicUrl,
    guildId: guild.success ? guild.data : EXAMPLE_IDS.guild,
    token: '$TOKEN',
  };
  return (
    <>
      <TopBar session={await currentSession()} />
      <main
        id="content"
        className="mx-auto max-w-[100rem] px-3 pt-6 pb-16 sm:px-5 lg:grid lg:grid-cols-[13rem_minmax(0,1fr)] lg:gap-x-8"
      >
        <div className="lg:col-start-2">
          <PageHeader
            title={shell('apiReference')}
            actions={
              <a href="/openapi.json" className={buttonClass()}>
                {t('openApi')}
              </a>
            }
          >
            {t('lead')} {guild.success ? t('filledIn') : t('putYourGuild', { id: context.guildId })}
          </PageHeader>
        </div>
        <div className="border-line mb-8 border-y py-2 lg:col-start-1 lg:row-span-2 lg:row-start-1 lg:mb-0 lg:border-0 lg:py-0">
          <Contents />
        </div>
        <div lang="en" className="min-w-0 lg:col-start-2">
          <Reference context={context} windowMinutes={config.reauthWindowMinutes} />
        </div>
      </main>
    </>
  );
}
