-- The default pipeline groups near duplicates too, if people have left it as the versions before stored it.
UPDATE pipelines
SET processors = '["CosineRelevancyPostResultProcessor","DedupeByFieldPostResultProcessor","DedupeBySimilarityPostResultProcessor"]'
WHERE name = 'System Default Post-Result Pipeline'
    AND processors::text = '["CosineRelevancyPostResultProcessor","DedupeByFieldPostResultProcessor"]';
