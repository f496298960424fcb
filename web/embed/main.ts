void document.currentScript;
