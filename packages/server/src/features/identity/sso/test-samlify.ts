import { createRequire } from 'node:module';

/**
 * The part of samlify that tests use. Its own types bring those of browsers into the whole program, where `performance` and
 * timers then have another type.
 */
export interface Samlify {
  setSchemaValidator(validator: { validate(xml: string): Promise<string> }): void;
  IdentityProvider(setting: object): {
    createLoginResponse(
      sp: object,
      request: object,
      binding: 'post',
      user: object,
      options: { customTagReplacement(template: string): { id: string; context: string } },
    ): Promise<{ context: string }>;
  };
  ServiceProvider(setting: object): {
    readonly entityMeta: {
      getEntityID(): string;
      getAssertionConsumerService(binding: 'post'): string;
      isWantAssertionsSigned(): boolean;
    };
  };
  readonly SamlLib: { replaceTagsByValue(template: string, values: Readonly<Record<string, string | null>>): string };
}

export const samlify: Samlify = createRequire(import.meta.url)('samlify');
