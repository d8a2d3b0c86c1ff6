import { Gavel, Ticket } from 'lucide-react';
import type { Metadata } from 'next';
import { notFound } from 'next/navigation';
import type { ReactNode } from 'react';
import { TopBar } from '#components/top-bar.tsx';
import { Badge } from '#components/ui/badge.tsx';
import { Button, LinkButton } from '#components/ui/button.tsx';
import { ChoiceLinks } from '#components/ui/choice-links.tsx';
import { CodeBlock } from '#components/ui/code-block.tsx';
import { CheckField, SelectField, TextAreaField, TextField } from '#components/ui/field.tsx';
import { FilterBar } from '#components/ui/filter-bar.tsx';
import { FilterSelect, FilterText } from '#components/ui/filter-fields.tsx';
import { PageLinks } from '#components/ui/page-links.tsx';
import { Callout, EmptyState, Fact, Facts, PageHeader, Panel, Section, Stat } from '#components/ui/panel.tsx';
import { RelativeTime } from '#components/ui/relative-time.tsx';
import { SearchField } from '#components/ui/search-field.tsx';
import { PageSkeleton } from '#components/ui/skeleton.tsx';
import { Cell, HeaderCell, Row, RowLink, SortHeader, Table } from '#components/ui/table.tsx';
import { TabLinks } from '#components/ui/tabs.tsx';
import { Timeline, TimelineEntry } from '#components/ui/timeline.tsx';
import { currentSession } from '#src/pages.ts';
import { Demos } from './demos.tsx';

export const metadata: Metadata = { title: 'Design system' };

const COLOURS = [
  ...['canvas', 'surface', 'raised', 'line', 'line-strong', 'ink', 'ink-soft'],
  ...[
    'accent',
    'accent-solid',
    'accent-solid-hover',
    'accent-tint',
    'good',
    'good-tint',
    'warn',
    'warn-tint',
  ],
  ...['danger', 'danger-solid', 'danger-tint'],
  ...['chart-1', 'chart-2', 'chart-3', 'chart-4', 'chart-5', 'chart-6'],
];

const TYPE = [
  { style: 'text-2xl font-semibold tracking-tight', name: 'text-2xl, a number that matters' },
  { style: 'text-xl font-semibold tracking-tight', name: 'text-xl, the title of a page' },
  { style: 'text-lg font-semibold tracking-tight', name: 'text-lg, a chapter of a long page' },
  { style: 'text-base font-semibold', name: 'text-base, a dialog or a card' },
  { style: 'text-sm', name: 'text-sm, everything else' },
  { style: 'text-ink-soft text-xs', name: 'text-xs, labels, heads of tables, hints' },
  { style: 'font-mono text-xs', name: 'font-mono text-xs, what is on the wire' },
];

const SPACES = [1, 2, 3, 4, 5, 7];

/** Every component of the design system in all its states. Served in development only. */
export default async function DesignPage() {
  if (process.env.NODE_ENV === 'production') notFound();
  const now = Date.now();
  const ago = (minutes: number) => new Date(now - minutes * 60_000).toISOString();
  return (
    <>
      <TopBar session={await currentSession()} />
      <main id="content" className="mx-auto w-full max-w-5xl px-3 py-6 sm:px-5">
        <PageHeader title="Design system">
          What every page is made of. One part for each purpose: look here before writing another.
        </PageHeader>

        <Section
          title="Colour"
          lead="Roles, not shades: each has a value for the dark and for the light theme."
        >
          <ul className="grid grid-cols-[repeat(auto-fill,minmax(9rem,1fr))] gap-2">
            {COLOURS.map((name) => (
              <li key={name} className="border-line bg-surface flex items-center gap-2 rounded-md border p-2">
                <span
                  aria-hidden
                  className="border-line size-7 shrink-0 rounded border"
                  style={{ background: `var(--${name})` }}
                />
                <code className="font-mono text-xs">{name}</code>
              </li>
            ))}
          </ul>
        </Section>

        <Section title="Type and space">
          <Panel className="grid gap-2 p-4">
            {TYPE.map(({ style, name }) => (
              <p key={name} className={style}>
                {name}
              </p>
            ))}
            <ul className="mt-2 flex flex-wrap items-end gap-4">
              {SPACES.map((step) => (
                <li key={step} className="text-ink-soft text-xs">
                  <span
                    aria-hidden
                    className="bg-accent-solid mb-1 block h-3"
                    style={{ width: `${step * 0.25}rem` }}
                  />
                  {step}: {step * 4} px
                </li>
              ))}
            </ul>
          </Panel>
        </Section>

        <Section title="Buttons">
          <Line>
            <Button variant="primary">Primary</Button>
            <Button>Plain</Button>
            <Button variant="danger">Danger</Button>
            <Button variant="risky">Risky</Button>
            <Button variant="quiet">Quiet</Button>
            <Button disabled title="There is nothing to save">
              Disabled, with its reason
            </Button>
            <Button size="small">Small</Button>
            <Button size="icon" aria-label="Ban">
              <Gavel aria-hidden size={16} />
            </Button>
            <LinkButton href="#content">A link</LinkButton>
          </Line>
        </Section>

        <Section title="Badges" lead="A state by word and icon; the colour only repeats it.">
          <Line>
            <Badge tone="good">in force</Badge>
            <Badge tone="warn">expires soon</Badge>
            <Badge tone="bad">failed</Badge>
            <Badge tone="off">ended</Badge>
            <Badge tone="waiting">pending</Badge>
          </Line>
        </Section>

        <Section title="Notices">
          <div className="grid gap-2">
            <Callout title="For your information">Something that helps.</Callout>
            <Callout tone="warn" title="Look at this" action={<Button size="small">Do it</Button>}>
              Something that should be done soon.
            </Callout>
            <Callout tone="danger" title="Not done">
              What went wrong, with what, and what to do next.
            </Callout>
          </div>
        </Section>

        <Section title="Numbers, facts and empty lists">
          <div className="mb-3 grid gap-3 sm:grid-cols-3">
            <Stat label="Open tickets" value={4} hint="2 of them unclaimed" href="#content" />
            <Stat label="Servers down" value={1} tone="bad" />
            <Stat label="Actions, 24 hours" value="1,204" hint="8% more than usual" tone="good" />
          </div>
          <Panel className="mb-3 p-4">
            <Facts>
              <Fact name="Member">Rask</Fact>
              <Fact name="Since">
                <RelativeTime iso={ago(90)} />
              </Fact>
              <Fact name="Reason">Spam in three channels</Fact>
            </Facts>
          </Panel>
          <Panel>
            <EmptyState title="No tickets yet" action={<Button variant="primary">Post the panel</Button>}>
              Members open tickets with a button. Post it in a channel.
            </EmptyState>
          </Panel>
        </Section>

        <Section
          title="Filters and tables"
          lead="Filters live in the address. On a phone each row is a card."
        >
          <TabLinks
            label="States"
            items={[
              { href: '/design?state=open', label: 'Open', count: 4, current: true },
              { href: '/design?state=closed', label: 'Closed', current: false },
            ]}
          />
          <ChoiceLinks
            label="Days"
            items={[
              { href: '/design?days=7', label: '7 days', current: true },
              { href: '/design?days=30', label: '30 days', current: false },
            ]}
          />
          <FilterBar
            label="Filter cases"
            clearHref="/design"
            search={<SearchField label="Search cases" />}
            chips={[{ name: 'kind', text: 'Kind: Bans', href: '/design', wrong: false }]}
          >
            <FilterSelect
              name="kind"
              label="Kind"
              options={[
                { value: '', label: 'All kinds' },
                { value: 'ban', label: 'Bans' },
              ]}
            />
            <FilterText name="from" label="From" type="date" />
          </FilterBar>
          <Panel>
            <Table caption="Cases" cards>
              <thead>
                <tr>
                  <SortHeader href="/design?sort=number" sorted="desc">
                    Case
                  </SortHeader>
                  <HeaderCell>Member</HeaderCell>
                  <HeaderCell>State</HeaderCell>
                  <SortHeader href="/design?sort=when" sorted={null}>
                    When
                  </SortHeader>
                </tr>
              </thead>
              <tbody>
                {[12, 11].map((number) => (
                  <Row key={number}>
                    <Cell>
                      <RowLink href={`/design?case=${number}`}>Case #{number}</RowLink>
                    </Cell>
                    <Cell label="Member">Rask</Cell>
                    <Cell label="State">
                      <Badge tone={number === 12 ? 'good' : 'off'}>
                        {number === 12 ? 'in force' : 'ended'}
                      </Badge>
                    </Cell>
                    <Cell label="When">
                      <RelativeTime iso={ago(number)} />
                    </Cell>
                  </Row>
                ))}
              </tbody>
            </Table>
          </Panel>
          <PageLinks newerHref="/design?page=newer" olderHref="/design?page=older" />
        </Section>

        <Section title="Timeline">
          <Timeline>
            <TimelineEntry icon={<Gavel size={14} />} tone="bad" title="Banned by Juno Okafor" at={ago(180)}>
              Spam in three channels
            </TimelineEntry>
            <TimelineEntry icon={<Ticket size={14} />} tone="good" title="Lifted by Mira Voss" at={ago(5)} />
          </Timeline>
        </Section>

        <Section title="Fields">
          <Panel className="grid gap-4 p-4 sm:grid-cols-2">
            <TextField label="Name" hint="Up to 64 characters" defaultValue="nightly-report" />
            <TextField label="Port" defaultValue="70000" error="must be at most 65535" />
            <SelectField label="Lasts" hint="It can be renewed">
              <option>90 days</option>
            </SelectField>
            <TextAreaField
              label="Addresses"
              rows={3}
              defaultValue={'10.0.0.1\nten'}
              error={['line 2: "ten" is no address']}
            />
            <CheckField label="Keep the old secret for five minutes" />
          </Panel>
        </Section>

        <Section title="What answers" lead="Dialogs, toasts, switches, tabs, copying, a countdown.">
          <Demos />
        </Section>

        <Section title="Code">
          <CodeBlock
            label="A line to paste"
            text="curl -sS http://127.0.0.1:4000/healthz"
            copy="Copy the line"
          />
        </Section>

        <Section title="While something loads">
          <Panel className="p-4">
            <PageSkeleton rows={3} />
          </Panel>
        </Section>
      </main>
    </>
  );
}

function Line({ children }: { children: ReactNode }) {
  return <Panel className="flex flex-wrap items-center gap-2 p-4">{children}</Panel>;
}
