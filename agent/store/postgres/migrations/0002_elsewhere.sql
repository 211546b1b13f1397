-- Without data, a text is in the store of bodies that the options name.
ALTER TABLE bodies ALTER COLUMN data DROP NOT NULL;
