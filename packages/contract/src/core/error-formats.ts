import Type, { type Static } from 'typebox';

/** Bodies of error answers that other standards fix. Problems, the usual ones, are in problem.ts. */

/** RFC 6749 section 5.2. */
export const OAuthError = Type.Object(
  {
    error: Type.String({ description: 'A code of the standard, for example `invalid_client`.' }),
    error_description: Type.Optional(Type.String({ description: 'What is wrong, for a person.' })),
  },
  { description: 'What went wrong (RFC 6749).' },
);
export type OAuthError = Static<typeof OAuthError>;

export const scimErrorSchema = 'urn:ietf:params:scim:api:messages:2.0:Error';

/** RFC 7644 section 3.12. */
export const ScimError = Type.Object(
  {
    schemas: Type.Array(Type.String({ description: 'Schema of the message.' }), {
      description: `Always \`${scimErrorSchema}\`.`,
    }),
    status: Type.String({ description: 'The HTTP status as text.' }),
    scimType: Type.Optional(Type.String({ description: 'A finer code of the standard, for example `uniqueness`.' })),
    detail: Type.String({ description: 'What is wrong, for a person.' }),
  },
  { description: 'What went wrong (RFC 7644).' },
);
export type ScimError = Static<typeof ScimError>;

/** What schedulers get: they read the status, and people the code. */
export const CronError = Type.Object(
  {
    error: Type.String({ description: 'A code of the registry, for example `unauthorized`.' }),
    requestId: Type.Optional(Type.String({ description: 'Same as the header X-Request-Id; from 500 on.' })),
  },
  { description: 'What went wrong.' },
);
export type CronError = Static<typeof CronError>;
