import Type, { type Static } from 'typebox';
import { StringEnum } from '../core/schemas.ts';

// Changes to policy files that are tried and not stored (docs/design/lead.md 1).

/** Kinds of records that an overlay may change: folders of policy as code. */
export const overlayKinds = [
  'offers',
  'creatives',
  'qualification-rules',
  'contact-policies',
  'decision-flows',
  'settings',
] as const;

export const OverlayChange = Type.Object(
  {
    kind: StringEnum(overlayKinds, { description: 'Kind of record, named like its folder in policy as code.' }),
    key: Type.Union([Type.String({ minLength: 1 }), Type.Array(Type.String(), { minItems: 1, maxItems: 3 })], {
      description:
        "Key or name of the object. For a child, a list of its parent's and its own. For the settings, `settings`.",
    }),
    patch: Type.Unknown({
      description:
        "JSON merge patch (RFC 7386) of the object's file, or null to delete the object. Creates an object that doesn't exist.",
    }),
    replace: Type.Optional(
      Type.Boolean({
        description:
          'True: `patch` is the whole file of the object, and members that it leaves out get their defaults.',
      }),
    ),
  },
  { additionalProperties: false, description: 'A change to one object.' },
);
export type OverlayChange = Static<typeof OverlayChange>;

export const Overlay = Type.Array(OverlayChange, {
  maxItems: 100,
  description: 'Changes to try, in order. They are rolled back and never stored.',
});
