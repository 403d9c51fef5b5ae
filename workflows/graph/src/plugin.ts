export const name = 'skill-trial-graph';
