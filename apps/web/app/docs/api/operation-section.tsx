import {
  curlOf,
  entryOf,
  exampleCall,
  type Operation,
  pathTemplate,
  type RestOperation,
  type Tier,
} from '@bailiff/core';
import type { ReactNode } from 'react';
import { CodeBlock } from '#components/ui/code-block.tsx';
import { Cell, HeaderCell, Table } from '#components/ui/table.tsx';
import { fieldsOf } from './fields.ts';
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
    <section aria-labelledby={name} className="border-line border-t py-6">
      <h3 id={name} className="scroll-mt-4 text-base font-semibold">
        <a href={`#${name}`} className="hover:underline">
          {summary}
        </a>
      </h3>
      <p className="mt-1.5 font-mono text-sm wrap-anywhere">
        <span className="bg-accent-tint text-accent mr-2 rounded px-1.5 py-0.5 text-xs font-semibold">
          {http.method}
        </span>
        {pathTemplate(name)}
      </p>
      <div className="mt-4 grid gap-5 2xl:grid-cols-2">
        <div className="grid min-w-0 content-start gap-4">
          <dl className="grid grid-cols-[auto_minmax(0,1fr)] gap-x-4 gap-y-1">
            <Fact term="Capability">{capabilityText(capability)}</Fact>
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
          <Fields name={name} />
        </div>
        <div className="grid min-w-0 content-start gap-3">
          <CodeBlock label="Example" text={curlOf(exampleCall(name, context))} copy="Copy the line" />
          <CodeBlock label={`Answer, ${http.success}`} text={JSON.stringify(example.output, null, 2)} />
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

function capabilityText(capability: Operation['capability']): ReactNode {
  if (capability === 'none') return 'None; a live token is enough';
  if (capability === 'of_action') return 'That of the operation the action belongs to';
  return <Wire>{capability}</Wire>;
}

function Fields({ name }: { name: RestOperation }) {
  const fields = fieldsOf(name);
  if (fields.length === 0) return <p className="text-ink-soft">It takes nothing but the token.</p>;
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
