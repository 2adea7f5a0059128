/** Titles of the screens of decisions: they are loaded with the shell, the other texts with their screens. */
export const decisionTitles = {
  decisions: 'Decisions',
  decision: 'Decision',
  compare: 'Compare two decisions',
  simulate: 'Simulate',
  commandEmpty: 'Decisions that contact policies left empty',
  commandExplored: 'Decisions in which exploration chose',
} as const;
