import type { RequestHandler } from 'express';
import { publicFile, sendPublicFile } from '../http/send.ts';

const SVG =
  "<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 32 32'><rect width='32' height='32' rx='7' fill='#0b5f7a'/>" +
  "<path d='M5 13q5.5-6 11 0t11 0M5 21q5.5-6 11 0t11 0' fill='none' stroke='white' stroke-width='2.6' " +
  "stroke-linecap='round'/></svg>";

/** The icon of every page. In its HTML, it costs no request. */
export const ICON_LINK = `<link rel="icon" href="data:image/svg+xml,${encodeURIComponent(SVG).replaceAll("'", '%27')}">`;

const FILE = publicFile('image/svg+xml', Buffer.from(SVG));

/** `/favicon.ico`: browsers ask for it beside JSON, and for bookmarks. */
export const favicon: RequestHandler = (request, response) => sendPublicFile(request, response, FILE);
