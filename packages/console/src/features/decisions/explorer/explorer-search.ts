import Type from 'typebox';

/** Address state: open tab, selected offer and its rival, filters by step and fate. */
export const ExplorerSearch = Type.Object({
  tab: Type.Optional(Type.String()),
  offer: Type.Optional(Type.String()),
  rival: Type.Optional(Type.String()),
  step: Type.Optional(Type.String()),
  fate: Type.Optional(Type.String()),
});
