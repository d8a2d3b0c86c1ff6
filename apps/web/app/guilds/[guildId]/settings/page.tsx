import { CAPABILITIES } from '@bailiff/core';
import { listGrants } from '@bailiff/engine';
import type { Metadata } from 'next';
import { GrantsForm } from '../../../../components/grants-form.tsx';
import { DeveloperModeSwitch } from '../../../../components/preferences.tsx';
import { Notice, PageHeader, Panel } from '../../../../components/ui/panel.tsx';
import { isDeveloperMode, PREFERENCES, requireGuild } from '../../../../src/pages.ts';
import { runtime } from '../../../../src/runtime.ts';

export const metadata: Metadata = { title: 'Settings' };

export default async function SettingsPage({ params }: { params: Promise<{ guildId: string }> }) {
  const { guild } = await requireGuild(params);
  const roles = guild.isOwner ? await listGrants(runtime().db, guild.id) : [];
  const confirmed = guild.grantsConfirmedAt !== null;
  return (
    <>
      <PageHeader title="Settings">
        {guild.name} is on the tier {guild.tier}.
      </PageHeader>
      {guild.isOwner ? (
        <section aria-labelledby="grants" className="mb-7">
          <h2 id="grants" className="mb-2 font-semibold">
            What roles may do
          </h2>
          {confirmed ? null : (
            <div className="mb-3">
              <Notice tone="warn" title="Nothing of this is in force yet">
                The marks are a proposal made from your roles' permissions in Discord. Change what you like,
                then confirm; until then only you can act.
              </Notice>
            </div>
          )}
          <Panel>
            <GrantsForm
              guildId={guild.id}
              confirmed={confirmed}
              capabilities={CAPABILITIES}
              roles={roles
                .filter(({ managed }) => !managed)
                .map((role) => ({
                  id: role.roleId,
                  name: role.roleId === guild.id ? '@everyone' : role.name,
                  color: role.color,
                  granted: confirmed ? role.capabilities : role.proposed,
                }))}
            />
          </Panel>
        </section>
      ) : null}
      <section aria-labelledby="browser">
        <h2 id="browser" className="mb-2 font-semibold">
          This browser
        </h2>
        <Panel className="px-4 py-3.5">
          <DeveloperModeSwitch name={PREFERENCES.developerMode} on={await isDeveloperMode()} />
          <p className="text-ink-soft mt-1">Shows API &amp; MCP: tokens for scripts and assistants.</p>
        </Panel>
      </section>
    </>
  );
}
