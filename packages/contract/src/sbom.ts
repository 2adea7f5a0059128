import Type, { type Static } from 'typebox';
import { operation } from './core/operation.ts';
import { Int, JsonObject, StringEnum, Timestamp } from './core/schemas.ts';

const Component = Type.Object(
  {
    type: StringEnum(['application', 'framework', 'library', 'platform'], { description: 'What it is.' }),
    name: Type.String({ description: 'Name without its group.' }),
    version: Type.String({ description: 'Installed version.' }),
    purl: Type.String({ description: 'Package URL.' }),
  },
  { additionalProperties: true, description: 'A package or program, as CycloneDX writes it.' },
);

/** A bill of materials (part 1, 4.13). */
export const SbomAnswer = Type.Object(
  {
    sbom: Type.Object(
      {
        bomFormat: Type.Literal('CycloneDX', { description: 'Name of the standard.' }),
        specVersion: Type.Literal('1.5', { description: 'Version of the standard.' }),
        serialNumber: Type.String({ description: 'Id of this document, a URN; another for each call.' }),
        version: Int(1, 1, 'Version of this document.'),
        metadata: Type.Object(
          { timestamp: Timestamp('When it was made.'), component: JsonObject('What it is about: this server.') },
          { additionalProperties: true, description: 'About the document.' },
        ),
        components: Type.Array(Component, { description: 'Everything that is installed for use, each once.' }),
      },
      { additionalProperties: true, description: 'A CycloneDX 1.5 document.' },
    ),
    digest: Type.String({ description: 'Hex SHA-256 of `sbom`, the JSON text as it was sent.' }),
    components: Int(0, 1_000_000, 'How many components there are.'),
  },
  { description: 'The bill of materials.' },
);
export type SbomAnswer = Static<typeof SbomAnswer>;

export const sbomOperations = {
  get: operation({
    id: 'adminSbom.get',
    method: 'GET',
    path: '/api/v1/admin/sbom',
    tag: 'Administration',
    auth: 'credential',
    role: 'admin',
    loadClass: 'heavy',
    summary: 'List what this server is made of',
    description:
      'A CycloneDX 1.5 bill of materials of what is installed on this machine for use, what is bundled into the console, Node and the embedded PostgreSQL among it. The header `X-SBOM-Digest` repeats the digest.',
    responses: { 200: { description: 'The bill of materials.', schema: SbomAnswer } },
    errors: [],
    audit: [],
    transaction: 'none',
  }),
} as const;
