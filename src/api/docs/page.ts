/** The page with the reference may load and run files of this origin, and call its API. */
export const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  // The renderer sets styles on elements.
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** The page at /docs. Its addresses are relative, so that it also works behind a path of a proxy. */
export const PAGE = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Tideline API reference</title>
<link rel="icon" href="docs/favicon.png" type="image/png">
<link rel="stylesheet" href="docs/renderer.css">
<link rel="stylesheet" href="docs/page.css">
</head>
<body>
<header>
<strong>Tideline</strong>
<span>API reference</span>
<a href="openapi.json">openapi.json</a>
</header>
<main id="reference">
<noscript>This page needs JavaScript. The same is in <a href="openapi.json">openapi.json</a>.</noscript>
</main>
<script src="docs/renderer.js"></script>
<script src="docs/page.js"></script>
</body>
</html>
`;

export const STYLE = `body { margin: 0; background: #fff; color: #17212b; font: 16px/1.5 system-ui, sans-serif; }
header { display: flex; align-items: baseline; gap: .75rem; padding: .9rem 1.25rem; background: #0d2b3e; color: #fff; }
header strong { font-size: 1.15rem; letter-spacing: .02em; }
header span { color: #b9cbd8; }
header a { margin-left: auto; color: #8fd3ff; }
main > noscript, main > p { display: block; max-width: 60rem; margin: 3rem auto; padding: 0 1.25rem; }
.swagger-ui .wrapper { max-width: 78rem; }
.swagger-ui .info { margin: 2rem 0 1rem; }
.swagger-ui .info .title small { background: #0d2b3e; }
.swagger-ui .scheme-container { box-shadow: none; border-top: 1px solid #e3e8ed; border-bottom: 1px solid #e3e8ed; }
.swagger-ui .markdown p, .swagger-ui .renderedMarkdown p { line-height: 1.55; }
`;

/**
 * "Try it out" calls the origin that served the page, whatever its name is: the content policy allows no other, and for
 * another origin a browser would need a permission that the API does not give.
 */
export const SCRIPT = `'use strict';
(async () => {
  const place = document.getElementById('reference');
  try {
    const response = await fetch('openapi.json');
    if (!response.ok) throw new Error('openapi.json answered ' + response.status);
    const spec = await response.json();
    spec.servers = [{ url: new URL('v1', document.baseURI).href, description: 'This service.' }];
    window.SwaggerUIBundle({
      spec,
      domNode: place,
      deepLinking: true,
      displayRequestDuration: true,
      docExpansion: 'list',
      defaultModelRendering: 'example',
      defaultModelExpandDepth: 3,
      defaultModelsExpandDepth: 0,
      filter: true,
      persistAuthorization: false,
      showExtensions: false,
      validatorUrl: null,
    });
  } catch (error) {
    const note = document.createElement('p');
    note.textContent = 'The reference could not be shown: ' + error.message;
    place.replaceChildren(note);
  }
})();
`;
