import { type Operation, operation } from '@arbiter/contract';
import Type from 'typebox';

/**
 * The console's page as an operation, so that load, errors, log and metrics are those of the API; the API's documents leave it
 * out. It is no route: whatever path no operation has is answered by it, when a browser asks for a page (`http/site.ts`).
 */
export const consoleOperations = {
  page: operation({
    id: 'console.page',
    method: 'GET',
    path: '/{target}',
    tag: 'Pages',
    summary: 'Open the console',
    auth: 'none',
    role: null,
    errorFormat: 'page',
    loadClass: 'crud',
    params: Type.Object(
      { target: Type.String({ description: 'Path and query, as sent.' }) },
      { description: 'What was requested.' },
    ),
    headers: Type.Object(
      { Cookie: Type.Optional(Type.String({ description: 'Session cookie.' })) },
      { description: 'Headers.' },
    ),
    responses: {
      200: {
        description: 'The page.',
        schema: Type.String({ description: 'A page.' }),
        mediaType: 'text/html; charset=utf-8',
      },
    },
    errors: [],
    audit: [],
    transaction: 'own',
  }),
} as const satisfies Record<string, Operation>;
