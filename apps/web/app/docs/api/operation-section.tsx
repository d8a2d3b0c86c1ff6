import {
  curlOf,
  entryOf,
  exampleCall,
  isOperationName,
  type Operation,
  pathTemplate,
  type RestOperation,
  type Tier,
} from '@bailiff/core';
import type { ReactNode } from 'react';
import { CodeBlock } from '#components/ui/code-block.tsx';
import { Cell, HeaderCell, Table } from '#components/ui/table.tsx';
import { type Field, fieldsOf } from './fields.ts';
import { BreakingName, Wire } from './wire.tsx';

/** The values that fill in the page's examples. */
export interface ExampleContext {
  readonly origin: string;
  readonly guildId: string;
  readonly token: string;
}

export const TIER_LABELS: Readonly<Record<Tier, string>> = {
  read: 'Reads',
  reversible_write: 'Reversible writes',
  destructive_write: 'Destructive writes',
};

/** The section of one operation: its requirements, its fields, and a working call with its answer. */
export function OperationSection({ name, context }: { name: RestOperation; context: ExampleContext }) {
  const { http, summary, sentinel, tier, capability, example } = entryOf(name);
  return (
    <EndpointSection
      id={name}
      method={http.method}
      path={pathTemplate(name)}
      summary={summary}
      fields={fieldsOf(name)}
      call={curlOf(exampleCall(name, context))}
      success={http.success}
      answer={example.output}
    >
      <dl className="grid grid-cols-[auto_minmax(0,1fr)] gap-x-4 gap-y-1">
        <Fact term="Capability">{capabilityText(capability, tier)}</Fact>
        <Fact term="Budget">
          {typeof tier === 'string'
            ? TIER_LABELS[tier]
            : `${TIER_LABELS.reversible_write}, or ${TIER_LABELS.destructive_write.toLowerCase()}, by its length`}
        </Fact>
        {sentinel === undefined ? null : (
          <Fact term="Sentinel">
            <Wire>{sentinel.template}</Wire>
          </Fact>
        )}
      </dl>
    </EndpointSection>
  );
}

interface EndpointProps {
  id: string;
  method: string;
  path: string;
  summary: string;
  fields: readonly Field[];
  /** A shell command that calls it. */
  call: string;
  /** The status of its answer. */
  success: number;
  answer: unknown;
  /** What is said before the fields. */
  children: ReactNode;
}

/** The section of one endpoint: its path, its fields, and a working call with its answer. */
export function EndpointSection(props: EndpointProps) {
  const { id, method, path, summary, fields, call, success, answer, children } = props;
  return (
    <section aria-labelledby={id} className="border-line border-t py-6">
      <h3 id={id} className="scroll-mt-4 text-base font-semibold">
        <a href={`#${id}`} className="hover:underline">
          {summary}
        </a>
      </h3>
      <p className="mt-1.5 font-mono text-sm wrap-anywhere">
        <span className="bg-accent-tint text-accent mr-2 rounded px-1.5 py-0.5 text-xs font-semibold">
          {method}
        </span>
        {path}
      </p>
      <div className="mt-4 grid gap-5 2xl:grid-cols-2">
        <div className="grid min-w-0 content-start gap-4">
          {children}
          <Fields name={id} fields={fields} />
        </div>
        <div className="grid min-w-0 content-start gap-3">
          <CodeBlock label="Example" text={call} copy="Copy the line" />
          <CodeBlock label={`Answer, ${success}`} text={JSON.stringify(answer, null, 2)} />
        </div>
      </div>
    </section>
  );
}

function Fact({ term, children }: { term: string; children: ReactNode }) {
  return (
    <>
      <dt className="text-ink-soft">{term}</dt>
      <dd>{children}</dd>
    </>
  );
}

function capabilityText(capability: Operation['capability'], tier: Operation['tier']): ReactNode {
  if (capability === 'none') return 'None; a live token is enough';
  if (capability === 'of_action') return 'That of the operation the action belongs to';
  if (capability === 'of_case' && tier === 'read')
    return 'That of reading cases of a kind, such as bans.read for bans';
  if (capability === 'of_case') return 'That of writing cases of the kind, such as bans.write for a ban';
  return <Wire>{capability}</Wire>;
}

function Fields({ name, fields }: { name: string; fields: readonly Field[] }) {
  if (fields.length === 0) {
    const isOperation = isOperationName(name);
    return <p className="text-ink-soft">It takes nothing{isOperation ? ' but the token' : ''}.</p>;
  }
  return (
    <Table caption={`What ${name} takes`}>
      <thead>
        <tr>
          <HeaderCell className="pl-0">Field</HeaderCell>
          <HeaderCell>Type and bounds</HeaderCell>
          <HeaderCell className="pr-0">Meaning</HeaderCell>
        </tr>
      </thead>
      <tbody>
        {fields.map((field) => (
          <tr key={field.name}>
            <Cell className="pl-0">
              <BreakingName name={field.name} />
              <span className="text-ink-soft block text-xs">
                {field.where}, {field.required}
              </span>
            </Cell>
            <Cell className="wrap-anywhere">{field.type}</Cell>
            <Cell className="pr-0 wrap-anywhere">{field.meaning}</Cell>
          </tr>
        ))}
      </tbody>
    </Table>
  );
}
