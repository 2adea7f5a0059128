import assert from 'node:assert/strict';
import { hash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import type { SbomAnswer } from '@arbiter/contract';
import { Ajv } from 'ajv';
import { startTestServer, type TestServer } from '../../../main/test-server.ts';

/** The bill of materials (docs/design/quality.md T35, E33). */

let server: TestServer;
before(async () => {
  server = await startTestServer();
});
after(() => server?.close());

const read = () => server.call<SbomAnswer>('GET', '/api/v1/admin/sbom');
const root = join(import.meta.dirname, '../../../../../..');
const json = (path: string) => JSON.parse(readFileSync(join(root, path), 'utf8'));

test('is valid CycloneDX 1.5, by the schema of the standard', async () => {
  const schemas = 'node_modules/@cyclonedx/cyclonedx-library/res/schema';
  const ajv = new Ajv({ strict: false, validateFormats: false });
  ajv.addSchema(json(`${schemas}/spdx.SNAPSHOT.schema.json`), 'http://cyclonedx.org/schema/spdx.SNAPSHOT.schema.json');
  ajv.addSchema(
    json(`${schemas}/jsf-0.82.SNAPSHOT.schema.json`),
    'http://cyclonedx.org/schema/jsf-0.82.SNAPSHOT.schema.json',
  );
  const validate = ajv.compile(json(`${schemas}/bom-1.5.SNAPSHOT.schema.json`));
  const { body } = await read();
  assert.ok(validate(body.sbom), JSON.stringify(validate.errors));
  assert.ok(!validate({ ...body.sbom, specVersion: 15 }), 'the schema refuses something');
});

test('E33: the digest matches the document as sent; two documents differ only in ID and time', async () => {
  const { body, headers, text } = await read();
  assert.equal(body.digest, hash('sha256', JSON.stringify(body.sbom)));
  assert.ok(text.startsWith(`{"sbom":${JSON.stringify(body.sbom)}`));
  assert.equal(headers['x-sbom-digest'], body.digest);
  assert.equal(headers['cache-control'], 'no-store');
  assert.equal(body.components, body.sbom.components.length);
  const again = (await read()).body;
  assert.notEqual(again.sbom.serialNumber, body.sbom.serialNumber);
  const bare = ({
    sbom: {
      serialNumber: _,
      metadata: { timestamp: __, ...metadata },
      ...rest
    },
  }: SbomAnswer) => ({ metadata, rest });
  assert.deepEqual(bare(again), bare(body));
});

test('T35: lists what npm installs for production, what the console bundles, Node and PostgreSQL, and no tool', async () => {
  const { sbom } = (await read()).body;
  const named = new Set(
    sbom.components.map(
      (each) => `${Object.hasOwn(each, 'group') ? `${Reflect.get(each, 'group')}/` : ''}${each.name}@${each.version}`,
    ),
  );
  assert.equal(named.size, sbom.components.length, 'each once');
  const lock: { packages: Record<string, { version?: string; dev?: boolean; devOptional?: boolean }> } = json(
    'node_modules/.package-lock.json',
  );
  const installed = Object.entries(lock.packages).flatMap(([path, { version, dev, devOptional }]) =>
    path.includes('node_modules/') && version !== undefined && dev !== true && devOptional !== true
      ? [`${path.slice(path.lastIndexOf('node_modules/') + 13)}@${version}`]
      : [],
  );
  assert.ok(installed.length > 100);
  for (const name of installed) assert.ok(named.has(name), name);
  const names = new Set(sbom.components.map(({ name }) => name));
  for (const bundled of ['react', 'react-dom', 'react-query', 'scheduler', 'node', 'postgresql'])
    assert.ok(names.has(bundled), bundled);
  for (const tool of ['vite', 'biome', 'typescript', 'playwright-core', 'node-rsa']) assert.ok(!names.has(tool), tool);
  const own = sbom.components.find(({ name }) => name === 'client-sesv2')!;
  assert.equal(own.purl, `pkg:npm/%40aws-sdk/client-sesv2@${own.version}`);
});
