document.title = 'The desk';
