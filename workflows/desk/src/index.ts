export { type DeskOptions, type DeskServer, startDesk } from './desk-server.js';
