/** Titles of the decision screens. They load with the shell; the other texts load with their screens. */
export const decisionTitles = {
  decisions: 'Decisions',
  decision: 'Decision',
  compare: 'Compare decisions',
  simulate: 'Simulate',
  commandEmpty: 'Decisions emptied by contact policies',
  commandExplored: 'Decisions made by exploration',
} as const;
