import {
  ApiError,
  curlOf,
  ERRORS,
  exampleCall,
  exampleId,
  OAUTH_ENDPOINTS,
  TIERS,
  type Tier,
} from '@bailiff/core';
import type { ReactNode } from 'react';
import { CodeBlock } from '#components/ui/code-block.tsx';
import { Cell, HeaderCell, Table } from '#components/ui/table.tsx';
import { PUBLIC_LIMIT } from '#src/address-limit.ts';
import { MOST_BODY_BYTES } from '#src/http/body.ts';
import { SECTIONS } from './areas.ts';
import { fieldsOf, idempotencyKeyMeaning } from './fields.ts';
import { OAuth } from './oauth.tsx';
import { type ExampleContext, OperationSection, TIER_LABELS } from './operation-section.tsx';
import { BreakingName, Wire } from './wire.tsx';

interface Props {
  context: ExampleContext;
  /** How long a window stays open, in minutes. */
  windowMinutes: number;
}

/** The API reference, generated from the operation table, the error table and the enforced limits. */
export function Reference({ context, windowMinutes }: Props) {
  return (
    <>
      <Authenticate context={context} />
      <Confirm context={context} />
      <Approval context={context} windowMinutes={windowMinutes} />
      {SECTIONS.map(({ id, title, operations }) => (
        <Chapter key={id} id={id} title={title}>
          {operations.map((name) => (
            <OperationSection key={name} name={name} context={context} />
          ))}
        </Chapter>
      ))}
      <Chapter id="oauth" title="Tokens for programs">
        <OAuth context={context} />
      </Chapter>
      <Errors />
      <Limits />
      <Paging context={context} />
      <Repeating context={context} />
    </>
  );
}

/** The table of contents, with a link to every heading of the page. */
export function Contents() {
  return (
    <nav
      aria-label="On this page"
      className="lg:sticky lg:top-4 lg:max-h-[calc(100dvh-2rem)] lg:overflow-y-auto"
    >
      <ul className="grid grid-cols-2 gap-x-4 sm:grid-cols-3 lg:grid-cols-1">
        <ContentsLink id="authenticate">Authenticate</ContentsLink>
        <ContentsLink id="confirm">Confirm</ContentsLink>
        <ContentsLink id="approval">Get approval</ContentsLink>
        {SECTIONS.map(({ id, title, operations }) => (
          <ContentsLink key={id} id={id} operations={operations}>
            {title}
          </ContentsLink>
        ))}
        <ContentsLink id="oauth" operations={OAUTH_ENDPOINTS.map(({ id }) => id)}>
          Tokens for programs
        </ContentsLink>
        <ContentsLink id="errors">Errors</ContentsLink>
        <ContentsLink id="limits">Limits</ContentsLink>
        <ContentsLink id="paging">Paging</ContentsLink>
        <ContentsLink id="repeating">Repeat safely</ContentsLink>
      </ul>
    </nav>
  );
}

function ContentsLink({
  id,
  operations = [],
  children,
}: {
  id: string;
  operations?: readonly string[];
  children: string;
}) {
  return (
    <li>
      <a
        href={`#${id}`}
        className="hover:text-accent flex min-h-8 items-center font-medium hover:underline lg:min-h-7"
      >
        {children}
      </a>
      {operations.length === 0 ? null : (
        <ul className="border-line mb-2 ml-0.5 hidden border-l pl-3 lg:block">
          {operations.map((name) => (
            <li key={name}>
              <a
                href={`#${name}`}
                className="text-ink-soft hover:text-accent block py-0.5 font-mono text-xs hover:underline"
              >
                {name}
              </a>
            </li>
          ))}
        </ul>
      )}
    </li>
  );
}

function Chapter({ id, title, children }: { id: string; title: string; children: ReactNode }) {
  return (
    <section aria-labelledby={id} className="mb-10">
      <h2 id={id} className="mb-3 scroll-mt-4 text-lg font-semibold tracking-tight">
        {title}
      </h2>
      {children}
    </section>
  );
}

function Prose({ children }: { children: ReactNode }) {
  return <div className="mb-4 grid max-w-[72ch] gap-3">{children}</div>;
}

function Authenticate({ context }: { context: ExampleContext }) {
  const lines = ["export TOKEN='svcpat_…'", curlOf(exampleCall('me', context))];
  return (
    <Chapter id="authenticate" title="Authenticate">
      <Prose>
        <p>
          Every call carries a token. The guild’s owner creates one in the dashboard, under API & MCP, with
          Developer Mode switched on. A token belongs to one guild, the <Wire>guildId</Wire> of every path,
          and never does more than the person who created it may do now.
        </p>
        <p>
          Requests and answers are JSON. Paths are below <Wire>{`${context.origin}/api/public/v1`}</Wire>.
          Tokens are for servers: calls from browsers are refused.
        </p>
      </Prose>
      <CodeBlock label="Ask what the token may do" text={lines.join('\n\n')} copy="Copy the lines" />
    </Chapter>
  );
}

function Confirm({ context }: { context: ExampleContext }) {
  return (
    <Chapter id="confirm" title="Confirm">
      <Prose>
        <p>
          A destructive call repeats in <Wire>_confirmation</Wire> what it is about to do. This is the
          sentinel; each operation below has its template. Fill the placeholders with the values of the same
          request.
        </p>
        <p>
          Upper and lower case and runs of spaces do not matter, nothing else is forgiven. A sentinel that
          does not fit is {ERRORS.INVALID_CONFIRMATION.status} <Wire>INVALID_CONFIRMATION</Wire>, and{' '}
          <Wire>details.expected_concrete</Wire> is the one that would.
        </p>
      </Prose>
      <CodeBlock
        label="A call that confirms itself"
        text={curlOf(exampleCall('bans.lift', context))}
        copy="Copy the line"
      />
    </Chapter>
  );
}

function Approval({ context, windowMinutes }: Props) {
  const refused = new ApiError('RE_AUTH_REQUIRED', 'This call needs the approval of the guild owner. …', {
    details: {
      reauth_url: `${context.origin}/guilds/${context.guildId}/approvals?…`,
      approval_state: 'pending',
      approval_id: exampleId('approval'),
    },
  });
  return (
    <Chapter id="approval" title="Get approval">
      <Prose>
        <p>
          A destructive call also needs an open window, which only the guild’s owner opens. Without one it is{' '}
          {ERRORS.RE_AUTH_REQUIRED.status} <Wire>RE_AUTH_REQUIRED</Wire>: a stop, not a fault. Show{' '}
          <Wire>details.reauth_url</Wire> to the owner and send the same call again once they have approved.
          They see the exact call and choose “this call only” or {windowMinutes} minutes.
        </p>
      </Prose>
      <CodeBlock
        label={`Answer, ${refused.status}`}
        text={JSON.stringify(refused.envelope('req_0190b7c44a3c7d3a9c3f2f6f0e8a1b2c'), null, 2)}
      />
    </Chapter>
  );
}

function Errors() {
  return (
    <Chapter id="errors" title="Errors">
      <Prose>
        <p>
          Every error has the shape shown under{' '}
          <a href="#approval" className="text-accent underline">
            Get approval
          </a>
          . Retry only what says <Wire>retryable</Wire>, after <Wire>Retry-After</Wire> seconds where it is
          given. Quote <Wire>request_id</Wire> when you report a fault.
        </p>
        <p>
          Where <Wire>UPSTREAM_UNAVAILABLE</Wire> says the outcome is unknown, do not repeat the call: ask{' '}
          <a href="#actions.get" className="text-accent underline">
            how the action ended
          </a>
          .
        </p>
      </Prose>
      <Table caption="Error codes">
        <thead>
          <tr>
            <HeaderCell className="pl-0 max-sm:pr-1.5">Code</HeaderCell>
            <HeaderCell className="max-sm:px-1.5">Status</HeaderCell>
            <HeaderCell className="max-sm:px-1.5">Retryable</HeaderCell>
            <HeaderCell className="pr-0 max-sm:pl-1.5">Meaning</HeaderCell>
          </tr>
        </thead>
        <tbody>
          {Object.entries(ERRORS).map(([code, { status, retryable, meaning }]) => (
            <tr key={code}>
              <Cell className="pl-0 max-sm:pr-1.5">
                <BreakingName name={code} />
              </Cell>
              <Cell className="tabular-nums max-sm:px-1.5">{status}</Cell>
              <Cell className="max-sm:px-1.5">{retryable ? 'Yes' : 'No'}</Cell>
              <Cell className="pr-0 wrap-anywhere max-sm:pl-1.5">{meaning}</Cell>
            </tr>
          ))}
        </tbody>
      </Table>
    </Chapter>
  );
}

function Limits() {
  return (
    <Chapter id="limits" title="Limits">
      <Prose>
        <p>
          Each token has these budgets, and so has the person who created it, across all of their tokens in
          the guild. A call is paid from both; a refused call costs nothing. <Wire>RateLimit</Wire> and{' '}
          <Wire>RateLimit-Policy</Wire> tell what is left.
        </p>
      </Prose>
      <Table caption="Budgets of a token and of its issuer">
        <thead>
          <tr>
            <HeaderCell className="pl-0">Budget</HeaderCell>
            <HeaderCell>Holds</HeaderCell>
            <HeaderCell className="pr-0">Refills per minute</HeaderCell>
          </tr>
        </thead>
        <tbody>
          {(Object.keys(TIERS) as Tier[]).map((tier) => (
            <tr key={tier}>
              <Cell className="pl-0">{TIER_LABELS[tier]}</Cell>
              <Cell className="tabular-nums">{TIERS[tier].capacity} calls</Cell>
              <Cell className="pr-0 tabular-nums">{TIERS[tier].refillPerMinute}</Cell>
            </tr>
          ))}
        </tbody>
      </Table>
      <p className="mt-4 max-w-[72ch]">
        An address may make {PUBLIC_LIMIT.requests} requests in {PUBLIC_LIMIT.windowSeconds / 60} minutes;{' '}
        <Wire>X-RateLimit-Limit</Wire> and <Wire>X-RateLimit-Remaining</Wire> tell what is left. A body has at
        most {MOST_BODY_BYTES / 1024} KiB.
      </p>
    </Chapter>
  );
}

function Paging({ context }: { context: ExampleContext }) {
  const limit = fieldsOf('strikes.list').find(({ name }) => name === 'limit');
  return (
    <Chapter id="paging" title="Paging">
      <Prose>
        <p>
          Lists are newest first. <Wire>limit</Wire> is a {limit?.type}. An answer has <Wire>data</Wire> and{' '}
          <Wire>next_cursor</Wire>: send that as <Wire>cursor</Wire>, with the same filters, for the next
          page. On the last page it is <Wire>null</Wire>; an empty list is no error.
        </p>
      </Prose>
      <CodeBlock label="A page" text={curlOf(exampleCall('bans.list', context))} copy="Copy the line" />
    </Chapter>
  );
}

function Repeating({ context }: { context: ExampleContext }) {
  const call = exampleCall('strikes.add', context);
  return (
    <Chapter id="repeating" title="Repeat safely">
      <Prose>
        <p>
          Send a POST, PATCH or DELETE with an <Wire>Idempotency-Key</Wire> of your own making.{' '}
          {idempotencyKeyMeaning()} An answer that is given again has <Wire>Idempotent-Replayed: true</Wire>.
        </p>
      </Prose>
      <CodeBlock
        label="A call that can be sent twice"
        text={curlOf({ ...call, headers: { ...call.headers, 'Idempotency-Key': 'strike-for-report-1042' } })}
        copy="Copy the line"
      />
    </Chapter>
  );
}
