import { curlOf, OAUTH_ENDPOINTS, OAUTH_ERRORS, type OAuthEndpoint } from '@bailiff/core';
import { Cell, HeaderCell, Table } from '#components/ui/table.tsx';
import { fieldsOfOAuth } from './fields.ts';
import { EndpointSection, type ExampleContext } from './operation-section.tsx';
import { BreakingName, Wire } from './wire.tsx';

/** How a program asks for a token and gives it back, with the endpoints and errors of OAuth. */
export function OAuth({ context }: { context: ExampleContext }) {
  return (
    <>
      <div className="mb-4 grid max-w-[72ch] gap-3">
        <p>
          A program on somebody’s computer asks for a token with OAuth 2.0 device authorization (RFC 8628): it
          shows a code, and the guild’s owner enters it in the dashboard and decides what the token may do.
          Client libraries find the endpoints from <Wire>{context.origin}</Wire> alone (RFC 8414). Each takes
          a form or JSON.
        </p>
      </div>
      {OAUTH_ENDPOINTS.map((endpoint) => (
        <EndpointSection
          key={endpoint.id}
          {...endpoint}
          fields={fieldsOfOAuth(endpoint)}
          call={curlOfOAuth(endpoint, context)}
          success={200}
          answer={endpoint.example.output}
        >
          <p>{endpoint.description.replaceAll('`', '')}</p>
        </EndpointSection>
      ))}
      <OAuthErrors />
    </>
  );
}

function curlOfOAuth({ method, path, example }: OAuthEndpoint, { origin, token }: ExampleContext): string {
  const url = `${origin}${path}`;
  if (method === 'GET') return curlOf({ method, url, headers: {} });
  const fields = Object.entries(example.input).map(
    ([name, value]) => `--data-urlencode "${name}=${value.replace('$TOKEN', token)}"`,
  );
  return [curlOf({ method: 'POST', url, headers: {} }), ...fields].join(' \\\n  ');
}

function OAuthErrors() {
  return (
    <section aria-labelledby="oauth.errors" className="border-line border-t py-6">
      <h3 id="oauth.errors" className="mb-3 scroll-mt-4 text-base font-semibold">
        Errors of these endpoints
      </h3>
      <p className="mb-4 max-w-[72ch]">
        They have the shape of the RFCs, with <Wire>error</Wire> and <Wire>error_description</Wire>, and
        status 400 unless they are our fault. Only 429 has the envelope of all other errors.
      </p>
      <Table caption="Errors of OAuth">
        <thead>
          <tr>
            <HeaderCell className="pl-0">Error</HeaderCell>
            <HeaderCell className="pr-0">What to do</HeaderCell>
          </tr>
        </thead>
        <tbody>
          {Object.entries(OAUTH_ERRORS).map(([code, meaning]) => (
            <tr key={code}>
              <Cell className="pl-0">
                <BreakingName name={code} />
              </Cell>
              <Cell className="pr-0 wrap-anywhere">{meaning}</Cell>
            </tr>
          ))}
        </tbody>
      </Table>
    </section>
  );
}
