import {
  ERRORS,
  entryOf,
  OAUTH_ENDPOINTS,
  OAUTH_ERRORS,
  pathTemplate,
  REST_OPERATION_NAMES,
  type RestOperation,
  TIERS,
} from '@bailiff/core';
import { renderToStaticMarkup } from 'react-dom/server';
import { describe, expect, it } from 'vitest';
import { fieldsOf, fieldsOfOAuth } from '#app/docs/api/fields.ts';
import { Contents, Reference } from '#app/docs/api/reference.tsx';
import { MessagesProvider } from '#components/messages-provider.tsx';
import { PUBLIC_LIMIT } from '#src/address-limit.ts';

const context = { origin: 'https://bailiff.test', guildId: '345678901234567890', token: '$TOKEN' };
const reference = renderToStaticMarkup(
  <MessagesProvider locale="en" namespaces={['capabilities', 'docs', 'operations', 'ui']} compiled={{}}>
    <Reference context={context} windowMinutes={15} />
  </MessagesProvider>,
);
const contents = renderToStaticMarkup(<Contents />);
const plain = reference
  .replace(/<[^>]+>/g, '')
  .replaceAll('&quot;', '"')
  .replaceAll('&#x27;', "'")
  .replaceAll('&gt;', '>')
  .replaceAll('&lt;', '<')
  .replaceAll('&amp;', '&');

describe('the API reference', () => {
  it.each(REST_OPERATION_NAMES)('has %s, with its fields and an example', (name) => {
    const section = reference.split(`aria-labelledby="${name}"`)[1]?.split('</section><section')[0] ?? '';
    expect(section).toContain(`id="${name}"`);
    expect(section).toContain(pathTemplate(name));
    expect(section).toContain('curl -sS');
    expect(plain).toContain(entryOf(name).summary);
    for (const field of fieldsOf(name)) expect(section.replaceAll('<wbr/>', '')).toContain(`>${field.name}<`);
    for (const field of Object.keys(entryOf(name).input.shape)) {
      expect(fieldsOf(name).map((known) => known.name)).toContain(field);
    }
    const { sentinel } = entryOf(name);
    if (sentinel !== undefined) expect(plain).toContain(sentinel.template);
  });

  it('has every endpoint of OAuth with its fields and an example, and every error', () => {
    for (const endpoint of OAUTH_ENDPOINTS) {
      const { id, path, input } = endpoint;
      const section =
        reference.split(`aria-labelledby="${id}"`)[1]?.split('<section aria-labelledby')[0] ?? '';
      expect(section).toContain(`https://bailiff.test${path}`);
      expect(fieldsOfOAuth(endpoint).map(({ name }) => name)).toEqual(Object.keys(input.shape));
      for (const field of Object.keys(input.shape))
        expect(section.replaceAll('<wbr/>', '')).toContain(`>${field}<`);
    }
    for (const [code, meaning] of Object.entries(OAUTH_ERRORS)) {
      expect(reference.replaceAll('<wbr/>', '')).toContain(`>${code}<`);
      expect(plain).toContain(meaning);
    }
  });

  it('has every error code and limit', () => {
    for (const [code, { meaning }] of Object.entries(ERRORS)) {
      expect(plain).toContain(code);
      expect(plain).toContain(meaning);
    }
    for (const { capacity } of Object.values(TIERS)) expect(plain).toContain(`${capacity} calls`);
    expect(plain).toContain(`${PUBLIC_LIMIT.requests} requests in 5 minutes`);
  });

  it('has each id once, and a target for every link of its contents', () => {
    const ids = [...reference.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id);
    expect(new Set(ids).size).toBe(ids.length);
    const links = [...(contents + reference).matchAll(/href="#([^"]+)"/g)].map(([, id]) => id);
    expect(links.length).toBeGreaterThan(REST_OPERATION_NAMES.length);
    for (const link of links) expect(ids).toContain(link);
  });

  it('says of ids what they look like, in words', () => {
    const typeOf = (name: RestOperation, field: string) =>
      fieldsOf(name).find((each) => each.name === field)?.type;
    expect(typeOf('bans.add', 'user_id')).toBe('text of 17 to 20 digits');
    expect(typeOf('strikes.remove', 'strikeId')).toBe('str_ and 32 hexadecimal digits');
    expect(typeOf('cases.edit', 'caseId')).toMatch(/^str_, ban_, .* or sft_, and 32 hexadecimal digits$/);
    const fitting = REST_OPERATION_NAMES.flatMap((name) =>
      fieldsOf(name).filter(({ type }) => type.includes('(?:')),
    );
    expect(fitting).toEqual([]);
  });

  it('leaves no type undescribed', () => {
    expect(plain).not.toMatch(/undefined|\[object/);
  });
});
