-- Earlier versions attributed a document to the provider that gave its address, whatever host it came from. What a provider
-- says of its own origins is sealed, so that the store looks at these documents itself, once, after the migrations.
INSERT INTO corpus_values (name, value) VALUES ('attribution', 'unchecked') ON CONFLICT (name) DO NOTHING;
