/** The style sheet of the reference page: light and dark, narrow screens, paper. The page loads nothing else. */
export const referenceStyle = `
:root{color-scheme:light dark;--line:#8884;--soft:#8881;--link:#0a58ca}
@media(prefers-color-scheme:dark){:root{--link:#8ab4f8}}
*{box-sizing:border-box}
html{scroll-padding-top:1rem}
body{font:16px/1.5 system-ui,sans-serif;margin:0 auto;padding:1rem;max-width:70rem}
a{color:var(--link)}
code,pre{font:.875em/1.45 ui-monospace,monospace;overflow-wrap:anywhere}
pre{background:var(--soft);padding:.6rem .8rem;margin:.6rem 0;overflow-x:auto;white-space:pre-wrap;border-radius:4px}
h2{margin-top:3rem;border-bottom:2px solid var(--line)}
h3{margin:2.2rem 0 .3rem}
h3 small{font-weight:400}
section p{margin:.4rem 0}
nav details{margin:.2rem 0}
nav summary{cursor:pointer}
nav ul{columns:16rem;margin:.3rem 0 .6rem;padding-left:1.2rem}
dl{display:grid;grid-template-columns:max-content 1fr;gap:.1rem 1rem;margin:.6rem 0}
dt{opacity:.7}
dd{margin:0;overflow-wrap:anywhere}
table{border-collapse:collapse;width:100%;margin:.6rem 0}
th,td{text-align:left;vertical-align:top;padding:.3rem .6rem .3rem 0;border-bottom:1px solid var(--line)}
@media(max-width:40rem){
table,tbody,tr,td{display:block}thead{display:none}
tr{border-bottom:1px solid var(--line);padding:.3rem 0}td{border:0;padding:0}td:empty{display:none}
}
@media print{
nav{display:none}body{max-width:none;font-size:10pt;padding:0}a{color:inherit;text-decoration:none}
tr,pre,dl{break-inside:avoid}h2,h3{break-after:avoid}
}
`;
