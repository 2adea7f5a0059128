import Type, { type Static } from 'typebox';
import { operation } from '../core/operation.ts';
import { Int, JsonObject, StringEnum, Timestamp } from '../core/schemas.ts';

const Component = Type.Object(
  {
    type: StringEnum(['application', 'framework', 'library', 'platform'], { description: 'Type of the component.' }),
    name: Type.String({ description: 'Name without its group.' }),
    version: Type.String({ description: 'Installed version.' }),
    purl: Type.String({ description: 'Package URL.' }),
  },
  { additionalProperties: true, description: 'A package or program in CycloneDX form.' },
);

/** A bill of materials. */
export const SbomAnswer = Type.Object(
  {
    sbom: Type.Object(
      {
        bomFormat: Type.Literal('CycloneDX', { description: 'Name of the standard.' }),
        specVersion: Type.Literal('1.5', { description: 'Version of the standard.' }),
        serialNumber: Type.String({ description: 'ID of this document, a URN. Different for each call.' }),
        version: Int(1, 1, 'Version of this document.'),
        metadata: Type.Object(
          {
            timestamp: Timestamp('When it was created.'),
            component: JsonObject('Subject of the document: this server.'),
          },
          { additionalProperties: true, description: 'Metadata of the document.' },
        ),
        components: Type.Array(Component, { description: 'Everything installed for production, each once.' }),
      },
      { additionalProperties: true, description: 'A CycloneDX 1.5 document.' },
    ),
    digest: Type.String({ description: 'SHA-256, in hex, of `sbom` as the JSON text that was sent.' }),
    components: Int(0, 1_000_000, 'Number of components.'),
  },
  { description: 'The software bill of materials.' },
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
    summary: 'Get the software bill of materials',
    description:
      'A CycloneDX 1.5 bill of materials of everything installed on this machine for production, including what is bundled into the console, Node and the embedded PostgreSQL. The header `X-SBOM-Digest` repeats the digest.',
    responses: { 200: { description: 'The software bill of materials.', schema: SbomAnswer } },
    errors: [],
    audit: [],
    transaction: 'none',
  }),
} as const;
