/** The files in the workspace of the expectations. */
export const workspaceFiles: Readonly<Record<string, string>> = {
  "agent-script/agent-hello.aip": "from agent-hello.aip",
  "sub-dir-a/agent-hello-2.aip": "two",
  "sub-dir-a/sub-sub-dir/agent-hello-3.aip": "three",
  "sub-dir-a/sub-sub-dir/main.aip": "main",
  "file-01.txt": "hello world file 01",
  "file-02.txt": "hello world file 02",
  "example.csv": "id,name,email\n1,Alice,alice@example.com\n2,Bob,bob@example.com\n",
  "other/data.json":
    '{\n // note\n "name": "Test JSON", "version": 1.2, "enabled": true, "items": ["item1", "item2"], "nested": { "key": "value" }, "nullable": null,\n}\n',
  "other/data.ndjson":
    '{"name":"item1","value":10}\n{"name":"item2","value":20,"active":true}\n{"name":"item3","value":null,"tags":["a","b"]}\n',
  "other/wrong.ndjson": '{"valid": true}\ninvalid json line here\n{"another_valid": 123}\n',
  "other/gaps.ndjson": '\n\n{"valid": true}\n\n\n{"another": "valid"}\n\n',
  "other/empty.ndjson": "",
  "page.html":
    '<html><head><title>Test Page</title><script>console.log("script")</script><style>.body { margin: 0; }</style><link rel="x"></head>\n' +
    "<body><!-- A comment --><h1>Main Title</h1>\n<p>This is <strong>strong</strong> and <em>emphasized</em> text.</p>\n" +
    '<ul><li>  Item 1</li><li>Item 2</li></ul><a href="https://example.com">A Link</a><svg><circle r="4"/></svg></body></html>',
  ".aipack/support/pack/ns_a/pack_a_1/extra/test.txt": "in the workspace",
};
/** The files below `~/.aipack-base`. */
export const baseFiles: Readonly<Record<string, string>> = {
  "pack/custom/ns_b/pack_b_2/main.aip": "custom ns_b@pack_b_2 main.aip",
  "support/pack/ns_b/pack_b_2/extra/test.txt": "for all",
};
