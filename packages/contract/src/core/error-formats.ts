import Type, { type Static } from 'typebox';

/** Bodies of error responses that other standards define. Problems, the usual ones, are in problem.ts. */

/** RFC 6749 section 5.2. */
export const OAuthError = Type.Object(
  {
    error: Type.String({ description: 'Error code of the standard, such as `invalid_client`.' }),
    error_description: Type.Optional(Type.String({ description: 'What went wrong, as a sentence.' })),
  },
  { description: 'An error (RFC 6749).' },
);
export type OAuthError = Static<typeof OAuthError>;

export const scimErrorSchema = 'urn:ietf:params:scim:api:messages:2.0:Error';

/** RFC 7644 section 3.12. */
export const ScimError = Type.Object(
  {
    schemas: Type.Array(Type.String({ description: 'Schema of the message.' }), {
      description: `Always \`${scimErrorSchema}\`.`,
    }),
    status: Type.String({ description: 'The HTTP status as a string.' }),
    scimType: Type.Optional(Type.String({ description: 'Detailed code of the standard, such as `uniqueness`.' })),
    detail: Type.String({ description: 'What went wrong, as a sentence.' }),
  },
  { description: 'An error (RFC 7644).' },
);
export type ScimError = Static<typeof ScimError>;

/** For schedulers, which read the status. People read the code. */
export const CronError = Type.Object(
  {
    error: Type.String({ description: 'Error code, such as `unauthorized`.' }),
    requestId: Type.Optional(
      Type.String({ description: 'Same as the header X-Request-Id. Set for status 500 and above.' }),
    ),
  },
  { description: 'An error.' },
);
export type CronError = Static<typeof CronError>;
