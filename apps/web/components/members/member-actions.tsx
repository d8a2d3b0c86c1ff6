import { type Obstacle, obstaclesTo } from '@bailiff/engine/calls/target-refusals';
import type { PresetWire } from '@bailiff/engine/cases/presets';
import type { GuildView } from '@bailiff/engine/guilds/guilds';
import { sayError, translator } from '@bailiff/messages';
import { EndCase } from '#components/cases/end-case.tsx';
import { Messages } from '#components/messages.tsx';
import { nameOf } from '#components/people/name-of.ts';
import { Obstacles } from '#components/ui/obstacles.tsx';
import { lackingOf } from '#src/capability-name.ts';
import { gamePlaces } from '#src/game-places.ts';
import { currentLocale, messagesFor } from '#src/messages.ts';
import { caseOffer, PERSON_OFFERS } from '#src/offers.ts';
import type { PersonWire } from '#src/person-wire.ts';
import { runtime } from '#src/runtime.ts';
import type { Sanction } from './act-form.tsx';
import { ActOnMember } from './act-on-member.tsx';

/**
 * What one can do about a person now. What is impossible is disabled, with the reason below the buttons, by the rules
 * that would refuse it.
 */
export async function MemberActions({
  guild,
  readerId,
  person,
  presets,
  inForce,
}: {
  guild: GuildView;
  readerId: string;
  person: PersonWire;
  presets: readonly PresetWire[];
  inForce: readonly Sanction[];
}) {
  const endings = inForce.flatMap((sanction) => {
    const offer = caseOffer(sanction.kind);
    return offer === undefined ? [] : [{ ...sanction, offer }];
  });
  const operations = [...PERSON_OFFERS, ...endings.map(({ offer }) => offer)].map(
    ({ operation }) => operation,
  );
  const obstacles = await obstaclesTo(
    runtime().db.pool,
    { guildId: guild.id, actorId: readerId },
    { userId: person.user_id, inGuild: person.in_guild, roleIds: (person.roles ?? []).map(({ id }) => id) },
    operations,
  );
  const say = await obstacleSayer();
  const games = await gamePlaces(guild.id, person.user_id);
  const reasons = new Map(
    operations.map((operation) => {
      const obstacle = obstacles.get(operation) ?? null;
      return [operation, obstacle === null ? undefined : say(obstacle)];
    }),
  );
  const needed = PERSON_OFFERS.map(({ needs }) => needs);
  return (
    <Messages namespaces={['cases', 'games', 'operations']}>
      <div className="grid justify-items-end max-sm:justify-items-start">
        <div className="flex flex-wrap gap-2">
          {endings.map(({ kind, offer, caseId, caseNumber }) => (
            <EndCase
              key={kind}
              guildId={guild.id}
              offer={offer}
              caseId={caseId}
              number={caseNumber}
              userId={person.user_id}
              capabilities={guild.capabilities}
              games={games}
              obstacle={reasons.get(offer.operation)}
            />
          ))}
          <ActOnMember
            guildId={guild.id}
            userId={person.user_id}
            name={nameOf(person)}
            presets={presets}
            inForce={inForce}
            games={games}
            offers={PERSON_OFFERS}
            capabilities={guild.capabilities}
            obstacles={Object.fromEntries(reasons)}
          />
        </div>
        <Obstacles because={[...reasons.values(), await lackingOf(guild.capabilities, needed)]} />
      </div>
    </Messages>
  );
}

/** Says in the page's language why something is impossible. */
async function obstacleSayer(): Promise<(obstacle: Obstacle) => string> {
  const errors = translator(await currentLocale(), 'errors');
  const people = await messagesFor('people');
  return (obstacle) =>
    obstacle.reason === 'NOT_A_MEMBER'
      ? people('notAMember')
      : sayError(errors, { code: 'FORBIDDEN', message: obstacle.reason, details: obstacle });
}
